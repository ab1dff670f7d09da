import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '../..')
const folder = join(root, 'docs/security')
const read = (name: string) => readFileSync(join(folder, name), 'utf8')

/** How many requirements of levels 1 and 2 each section of ASVS 5.0 has, by their last number. */
const sections: Record<string, string> = {
  '1.1': '1 2',
  '1.2': '1 2 3 4 5 6 7 8 9',
  '1.3': '1 2 3 4 5 6 7 8 9 10 11',
  '1.4': '1 2 3',
  '1.5': '1 2',
  '2.1': '1 2 3',
  '2.2': '1 2 3',
  '2.3': '1 2 3 4',
  '2.4': '1',
  '3.2': '1 2',
  '3.3': '1 2 3 4',
  '3.4': '1 2 3 4 5 6',
  '3.5': '1 2 3 4 5',
  '3.7': '1 2',
  '4.1': '1 2 3',
  '4.2': '1',
  '4.3': '1 2',
  '4.4': '1 2 3 4',
  '5.1': '1',
  '5.2': '1 2 3',
  '5.3': '1 2',
  '5.4': '1 2 3',
  '6.1': '1 2 3',
  '6.2': '1 2 3 4 5 6 7 8 9 10 11 12',
  '6.3': '1 2 3 4',
  '6.4': '1 2 3 4',
  '6.5': '1 2 3 4 5',
  '6.6': '1 2 3',
  '6.8': '1 2 3 4',
  '7.1': '1 2 3',
  '7.2': '1 2 3 4',
  '7.3': '1 2',
  '7.4': '1 2 3 4 5',
  '7.5': '1 2',
  '7.6': '1 2',
  '8.1': '1 2',
  '8.2': '1 2 3',
  '8.3': '1',
  '8.4': '1',
  '9.1': '1 2 3',
  '9.2': '1 2 3 4',
  '10.1': '1 2',
  '10.2': '1 2',
  '10.3': '1 2 3 4',
  '10.4': '1 2 3 4 5 6 7 8 9 10 11',
  '10.5': '1 2 3 4 5',
  '10.6': '1 2',
  '10.7': '1 2 3',
  '11.1': '1 2',
  '11.2': '1 2 3',
  '11.3': '1 2 3',
  '11.4': '1 2 3 4',
  '11.5': '1',
  '11.6': '1',
  '12.1': '1 2 3',
  '12.2': '1 2',
  '12.3': '1 2 3 4',
  '13.1': '1',
  '13.2': '1 2 3 4 5',
  '13.3': '1 2',
  '13.4': '1 2 3 4 5',
  '14.1': '1 2',
  '14.2': '1 2 3 4',
  '14.3': '1 2 3',
  '15.1': '1 2 3',
  '15.2': '1 2 3',
  '15.3': '1 2 3 4 5 6 7',
  '16.1': '1',
  '16.2': '1 2 3 4 5',
  '16.3': '1 2 3 4',
  '16.4': '1 2 3',
  '16.5': '1 2 3',
  '17.1': '1',
  '17.2': '1 2 3 4',
  '17.3': '1 2',
}
const numbers = Object.entries(sections).flatMap(([section, last]) =>
  last.split(' ').map((number) => `${section}.${number}`),
)

type Row = { number: string; level: string; verdict: string; evidence: string }
const rows: Row[] = read('asvs.md')
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .filter(([, number]) => /^\d+\.\d+\.\d+$/.test(number ?? ''))
  .map(([, number, level, , verdict, evidence]) => ({
    number: number!,
    level: level!,
    verdict: verdict!,
    evidence: evidence!,
  }))
const testsIn = (text: string) =>
  [...text.matchAll(/\]\(((?:\.\.\/)+(?:test|sdk|bench)\/[^)#]+)\)/g)].map((match) => match[1]!)

test('every requirement of ASVS levels 1 and 2 has one row, in order', () => {
  assert.equal(numbers.length, 253)
  assert.deepEqual(
    rows.map(({ number }) => number),
    numbers,
  )
  for (const { number, level } of rows) assert.match(level, /^[12]$/, number)
})

test('a requirement that is met names its tests, any other one its reason', () => {
  for (const { number, verdict, evidence } of rows) {
    assert.ok(['met', 'not applicable', 'operator', 'deviation'].includes(verdict), number)
    if (verdict === 'met') assert.ok(testsIn(evidence).length > 0, number)
    else assert.match(evidence.replaceAll(/\[[^\]]*\]\([^)]*\)/g, ''), /\w{2} \w{2}|\w{5}/, number)
  }
  const counts = [...read('asvs.md').matchAll(/^\| ([a-z ]+) \| .+ \| (\d+) \|$/gm)]
  assert.equal(counts.length, 4)
  for (const [, verdict, count] of counts)
    assert.equal(Number(count), rows.filter((row) => row.verdict === verdict).length, verdict)
})

for (const name of ['asvs.md', 'threat-model.md', 'inventory.md'])
  test(`every test that security/${name} names exists`, () => {
    const missing = testsIn(read(name)).filter((path) => !existsSync(join(folder, path)))
    assert.deepEqual(missing, [])
    if (name !== 'inventory.md') assert.ok(testsIn(read(name)).length > 0)
  })
