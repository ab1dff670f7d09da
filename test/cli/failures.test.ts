import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asFailure, exits } from '../../cli/errors.ts'

const errorOf = (code: string, path?: string) =>
  Object.assign(new Error(`${code}: as the system says it, open '${path}'`), { code, path })
const textOf = (error: unknown) => {
  const { message, hint, exit_code } = asFailure(error)
  return { message, hint, exit_code }
}

test('an error of the disk is a sentence that says what to do', () => {
  const path = '/games/tetra/data.pak'
  const permission = {
    message: `no permission to read or change ${path}`,
    hint: 'check who owns it, or run the command as that user',
    exit_code: exits.usage,
  }
  const full = {
    message: `the disk of ${path} is full`,
    hint: 'free some space, then run the same command again',
    exit_code: exits.usage,
  }
  for (const code of ['EACCES', 'EPERM']) assert.deepEqual(textOf(errorOf(code, path)), permission)
  for (const code of ['ENOSPC', 'EDQUOT']) assert.deepEqual(textOf(errorOf(code, path)), full)
  assert.deepEqual(textOf(errorOf('EROFS', path)), {
    message: `${path} is on a disk that cannot be written to`,
    hint: 'mount the disk so that it can be written to, or choose another folder',
    exit_code: exits.usage,
  })
})

test('other errors keep their message, and a bug says where to report it', () => {
  const other = errorOf('EISDIR', '/games')
  assert.deepEqual(textOf(other), {
    message: other.message,
    hint: undefined,
    exit_code: exits.usage,
  })
  assert.match(asFailure(new TypeError('x is not a function')).hint!, /bug/)
  // What is written into a file that is open has no path.
  assert.deepEqual(textOf(errorOf('ENOSPC')), {
    message: 'the disk is full',
    hint: 'free some space, then run the same command again',
    exit_code: exits.usage,
  })
  // The connection of a request has a code and no path.
  assert.equal(textOf(errorOf('EACCES')).message, errorOf('EACCES').message)
})
