import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  checkProfileImage,
  croppedSize,
  MAX_SIDE,
} from '../../../src/listings/profiles/image-rules.ts'
import { initials } from '../../../src/web/images/avatar.ts'

const size = (width: number, height: number) => ({ width, height })

test('an avatar has at least 256 pixels on each side, a banner 1280 by 320', () => {
  const bounds = { avatar: [256, 256], banner: [1280, 320] } as const
  for (const slot of ['avatar', 'banner'] as const) {
    const [width, height] = bounds[slot]
    checkProfileImage(slot, size(width, height))
    checkProfileImage(slot, size(MAX_SIDE, MAX_SIDE))
    for (const [wrong_width, wrong_height] of [
      [width - 1, height],
      [width, height - 1],
      [MAX_SIDE + 1, height],
      [width, MAX_SIDE + 1],
    ] as const)
      assert.throws(() => checkProfileImage(slot, size(wrong_width, wrong_height)), {
        refusal: 'IMAGE_REJECTED',
      })
  }
})

test('the largest part of the right shape is kept, reduced and never enlarged', () => {
  assert.deepEqual(croppedSize('avatar', size(256, 256)), size(256, 256))
  assert.deepEqual(croppedSize('avatar', size(300, 400)), size(300, 300))
  assert.deepEqual(croppedSize('avatar', size(512, 512)), size(512, 512))
  assert.deepEqual(croppedSize('avatar', size(4000, 3000)), size(512, 512))
  assert.deepEqual(croppedSize('banner', size(1280, 320)), size(1280, 320))
  assert.deepEqual(croppedSize('banner', size(1600, 1600)), size(1600, 400))
  assert.deepEqual(croppedSize('banner', size(5000, 321)), size(1284, 321))
  assert.deepEqual(croppedSize('banner', size(6000, 6000)), size(1920, 480))
})

test('initials are the first letters of the first two words of a name', () => {
  assert.equal(initials('salt-and-tide'), 'SA')
  assert.equal(initials('nora_7'), 'N7')
  assert.equal(initials('wren'), 'W')
})
