import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { errors, failure, Refusal } from '../../../src/core/runtime/errors.ts'

/** Code → every status it may have. */
const statusesByCode: Record<number, number[]> = {
  4000: [400, 408, 416, 431],
  4001: [401],
  4006: [404],
  4010: [401],
  4020: [401],
  4021: [401],
  4022: [401],
  4023: [401, 402],
  4024: [401],
  4025: [401],
  4026: [400],
  4030: [403],
  4031: [403],
  4032: [403],
  4033: [403],
  4034: [403],
  4037: [400],
  4038: [400],
  4039: [404],
  4040: [404],
  4041: [400],
  4043: [413],
  4044: [400, 409],
  4045: [404],
  4046: [422],
  4047: [409],
  4048: [500],
  4049: [422],
  4050: [405, 422],
  4071: [422],
  4072: [422],
  4074: [403],
  4075: [409],
  4076: [403],
  4077: [403],
  4080: [403],
  4090: [409],
  4095: [409],
  4096: [403],
  4097: [409],
  4098: [409],
  4099: [409],
  4105: [403],
  4106: [400],
  4107: [409],
  4108: [400],
  4109: [400],
  4113: [409],
  4114: [409],
  4130: [413],
  4150: [400, 415],
  4151: [422],
  4152: [409],
  4153: [409],
  4154: [422],
  4155: [422],
  4156: [422],
  4158: [422],
  4164: [409],
  4165: [402],
  4166: [400],
  4214: [202],
  4215: [403],
  4216: [400],
  4217: [409],
  4218: [409],
  4219: [412],
  4220: [409],
  4221: [403],
  4222: [409],
  4225: [422],
  4226: [422],
  4227: [422],
  4229: [422],
  4230: [422],
  4231: [422],
  4232: [409],
  4233: [422],
  4234: [422],
  4235: [422],
  4236: [422],
  4237: [403],
  4238: [422],
  4239: [400, 409, 422],
  4240: [400, 422],
  4241: [403],
  4242: [409],
  4243: [502],
  4244: [404],
  4245: [404],
  4246: [400, 401],
  4247: [403],
  4248: [401, 422],
  4249: [401],
  4250: [422],
  4251: [422],
  4252: [409],
  4253: [422],
  4254: [422],
  4255: [409],
  4256: [422],
  4257: [409],
  4258: [409],
  4259: [422],
  4260: [409],
  4261: [422],
  4262: [403],
  4263: [403],
  4264: [403],
  4265: [409],
  4266: [422],
  4267: [422],
  4268: [422],
  4270: [400],
  4271: [403],
  4272: [403],
  4281: [409],
  4282: [422],
  4283: [409],
  4284: [403],
  4285: [413],
  4286: [410],
  4290: [429],
  4291: [429],
  4292: [403],
  4293: [401],
  4294: [401],
  5000: [500],
  5020: [502],
  5030: [503],
  5031: [503, 504],
}

test('the error table has exactly these codes and statuses', () => {
  const actual: Record<number, number[]> = {}
  for (const [code, status] of Object.values(errors))
    actual[code] = [...new Set([...(actual[code] ?? []), status])].sort()
  assert.deepEqual(actual, statusesByCode)
})

test('section 6 of docs/interface.md has every code and status of the error table', () => {
  const guide = readFileSync(join(import.meta.dirname, '../../../docs/interface.md'), 'utf8')
  const section = guide.match(/^## 6\. Error codes$(.*?)^## /ms)![1]!
  const rows = section.matchAll(/^\| (\d{4}(?:, \d{4})*) \| (\d{3}(?:, \d{3})*) \|/gm)
  const documented = [...rows].flatMap(([, codes, statuses]) =>
    codes!.split(', ').flatMap((code) => statuses!.split(', ').map((status) => [code, status])),
  )
  const answered = Object.values(errors).map(([code, status]) => [code, status])
  const unique = (pairs: unknown[][]) => [...new Set(pairs.map((pair) => pair.join(' ')))].sort()
  assert.deepEqual(unique(documented), unique(answered))
})

test('4050 and 4150 have two meanings each, distinguished by status', () => {
  assert.deepEqual([errors.METHOD_NOT_ALLOWED[0], errors.METHOD_NOT_ALLOWED[1]], [4050, 405])
  assert.deepEqual([errors.PRICE_OUT_OF_RANGE[0], errors.PRICE_OUT_OF_RANGE[1]], [4050, 422])
  assert.deepEqual(
    [errors.UNSUPPORTED_MEDIA_TYPE[0], errors.UNSUPPORTED_MEDIA_TYPE[1]],
    [4150, 415],
  )
  assert.deepEqual([errors.INVALID_MEDIA[0], errors.INVALID_MEDIA[1]], [4150, 400])
})

test('every error message is a full sentence', () => {
  for (const [name, [, , message]] of Object.entries(errors))
    assert.match(message, /^[A-Z].{7,}[^.]$/, name)
})

test('current_size is repeated in error.data, and no other field is', () => {
  const size = failure(new Refusal('CHUNK_OUT_OF_ORDER', { current_size: 5, more: 1 }))
  assert.deepEqual(size, {
    success: false,
    error: { code: 4044, message: errors.CHUNK_OUT_OF_ORDER[2], data: { current_size: 5 } },
    data: { current_size: 5, more: 1 },
  })
  assert.deepEqual(failure(new Refusal('NOT_FOUND')), {
    success: false,
    error: { code: 4040, message: 'Not found' },
  })
})
