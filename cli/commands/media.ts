import { MIB } from '../../src/core/runtime/units.ts'
import { galleryLimits, imageSlots, type MediaKind } from '../../src/listings/media/image-rules.ts'
import type { Command, Context, Outcome } from '../command.ts'
import {
  asMedia,
  findImage,
  MEDIA,
  type Media,
  mediaLines,
  readMedia,
  sendImages,
} from '../documents/images.ts'
import { isUuid } from '../documents/text.ts'
import { UsageError } from '../errors.ts'
import { json } from '../http/api.ts'

const answer = (action: string, media: Media): Outcome => ({
  json: { ok: true, action, media },
  lines: mediaLines(media),
})

const LAST_POSITION = galleryLimits.max - 1

function sizeRule(kind: MediaKind): string {
  const { min, max, bytes } = imageSlots[kind]
  const range = `from ${min.join('x')} to ${max.join('x')}`
  return `PNG, JPEG, GIF or WebP, 16:9, ${range}, up to ${bytes / MIB} MB`
}

const slot = (kind: Exclude<MediaKind, 'gallery'>): Command => ({
  name: `media ${kind}`,
  summary: `Set the ${kind} of your page`,
  details: [`${sizeRule(kind)}. It replaces the current one.`],
  args: [{ name: '<image>', summary: 'The image' }],
  examples: [`slipway media ${kind} store/${kind}.png`],
  async run({ args, api }) {
    const image = findImage(args[0]!, kind)
    return answer(kind, await sendImages(await api(), kind, [image]))
  },
})

const list: Command = {
  name: 'media list',
  summary: 'List the images of your page',
  async run({ api }) {
    return answer('list', await readMedia(await api()))
  },
}

const add: Command = {
  name: 'media add',
  summary: 'Add images to the gallery',
  details: [`${sizeRule('gallery')} each. A gallery has up to ${galleryLimits.max}.`],
  args: [{ name: '<image>', summary: `1 to ${galleryLimits.per_request} images`, many: true }],
  flags: [
    {
      name: 'position',
      value: '<n>',
      summary: `Position of the first one, from 0 to ${LAST_POSITION}; the end by default`,
    },
  ],
  examples: [
    'slipway media add store/1.png store/2.png',
    'slipway media add store/new.png --position 0',
  ],
  async run({ args, text, api }) {
    if (args.length > galleryLimits.per_request)
      throw new UsageError(
        `add 1 to ${galleryLimits.per_request} images at once, not ${args.length}`,
      )
    const position =
      text('position') === undefined ? undefined : place('position', text('position')!)
    const images = args.map((path) => findImage(path, 'gallery'))
    return answer('add', await sendImages(await api(), 'gallery', images, position))
  },
}

const remove: Command = {
  name: 'media delete',
  summary: 'Delete an image',
  args: [
    {
      name: '<image>',
      summary: 'The uid of a gallery image, or cover or thumbnail',
      words: ['cover', 'thumbnail'],
    },
  ],
  examples: ['slipway media delete thumbnail'],
  async run({ args, api }) {
    const image = args[0]!
    if (image !== 'cover' && image !== 'thumbnail' && !isUuid(image))
      throw new UsageError(
        `"${image}" is not a uid, cover or thumbnail`,
        'slipway media list shows the uids',
      )
    return answer(
      'delete',
      asMedia(await (await api()).send({ method: 'DELETE', path: `${MEDIA}/${image}` })),
    )
  },
}

const move: Command = {
  name: 'media move',
  summary: 'Move a gallery image',
  args: [{ name: '<uid>', summary: 'The image' }],
  flags: [
    {
      name: 'to',
      value: '<n>',
      summary: `New position, from 0 to ${LAST_POSITION}`,
      required: true,
    },
  ],
  examples: ['slipway media move 0198c0de-0000-7000-8000-000000000000 --to 0'],
  async run(context) {
    const to = place('to', context.text('to')!)
    const uid = uidOf(context.args[0]!)
    const { gallery } = await readMedia(await context.api())
    const uids = gallery.toSorted((a, b) => a.position - b.position).map((image) => image.uid)
    if (!uids.includes(uid))
      throw new UsageError(`${uid} is not in the gallery`, 'slipway media list shows the uids')
    return putOrder(context, 'move', uids.filter((other) => other !== uid).toSpliced(to, 0, uid))
  },
}

const order: Command = {
  name: 'media order',
  summary: 'Reorder the gallery',
  args: [{ name: '<uid>', summary: 'Every gallery image once, in the new order', many: true }],
  async run(context) {
    const uids = context.args.map(uidOf)
    if (new Set(uids).size !== uids.length) throw new UsageError('an image is named twice')
    return putOrder(context, 'order', uids)
  },
}

async function putOrder({ api }: Context, action: string, uids: string[]): Promise<Outcome> {
  return answer(
    action,
    asMedia(
      await (await api()).send({
        method: 'PUT',
        path: `${MEDIA}/order`,
        body: json({ order: uids }),
      }),
    ),
  )
}

function uidOf(text: string): string {
  if (isUuid(text)) return text.toLowerCase()
  throw new UsageError(`"${text}" is not the uid of an image`, 'slipway media list shows them')
}

function place(name: string, text: string): number {
  const value = /^\d{1,2}$/.test(text) ? Number(text) : galleryLimits.max
  if (value < galleryLimits.max) return value
  throw new UsageError(`--${name}: use a whole number from 0 to ${LAST_POSITION}, not "${text}"`)
}

export const mediaCommands: Command[] = [
  list,
  slot('cover'),
  slot('thumbnail'),
  add,
  remove,
  move,
  order,
]
