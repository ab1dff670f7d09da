import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

/** Runs the compiler and the linter; `--fix` also applies the automatic fixes of the linter. */
export function check(fix: boolean): boolean {
  const steps: [string, string[]][] = [
    ['typescript/bin/tsc', ['--noEmit', '-p', root]],
    [
      '@biomejs/biome/bin/biome',
      ['check', '--error-on-warnings', ...(fix ? ['--write'] : []), root],
    ],
  ]
  return steps
    .map(
      ([file, args]) =>
        spawnSync(process.execPath, [join(root, 'node_modules', file), ...args], {
          stdio: 'inherit',
          cwd: root,
        }).status === 0,
    )
    .every(Boolean)
}

if (import.meta.main) process.exitCode = check(process.argv.includes('--fix')) ? 0 : 1
