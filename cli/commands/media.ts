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
import { later, t } from '../messages.ts'

const answer = (action: string, media: Media): Outcome => ({
  json: { ok: true, action, media },
  lines: mediaLines(media),
})

const LAST_POSITION = galleryLimits.max - 1

function sizeRule(kind: MediaKind): string {
  const { min, max, bytes } = imageSlots[kind]
  return t('media-size', {
    min: min.join('x'),
    max: max.join('x'),
    size: String(bytes / MIB),
  })
}

const slot = (kind: Exclude<MediaKind, 'gallery'>): Command => ({
  name: `media ${kind}`,
  summary: kind === 'cover' ? later('media-cover') : later('media-thumbnail'),
  details: [() => t('media-slot-details', { rule: sizeRule(kind) })],
  args: [{ name: '<image>', summary: later('media-image') }],
  examples: [`slipway media ${kind} store/${kind}.png`],
  async run({ args, api }) {
    const image = findImage(args[0]!, kind)
    return answer(kind, await sendImages(await api(), kind, [image]))
  },
})

const list: Command = {
  name: 'media list',
  summary: later('media-list'),
  async run({ api }) {
    return answer('list', await readMedia(await api()))
  },
}

const add: Command = {
  name: 'media add',
  summary: later('media-add'),
  details: [
    () => t('media-add-details', { rule: sizeRule('gallery'), max: String(galleryLimits.max) }),
  ],
  args: [
    {
      name: '<image>',
      summary: later('media-add-images', { max: String(galleryLimits.per_request) }),
      many: true,
    },
  ],
  flags: [
    {
      name: 'position',
      value: '<n>',
      summary: later('media-add-position', { max: String(LAST_POSITION) }),
    },
  ],
  examples: [
    'slipway media add store/1.png store/2.png',
    'slipway media add store/new.png --position 0',
  ],
  async run({ args, text, api }) {
    if (args.length > galleryLimits.per_request)
      throw new UsageError(
        t('media-too-many', {
          max: String(galleryLimits.per_request),
          count: String(args.length),
        }),
      )
    const position =
      text('position') === undefined ? undefined : place('position', text('position')!)
    const images = args.map((path) => findImage(path, 'gallery'))
    return answer('add', await sendImages(await api(), 'gallery', images, position))
  },
}

const remove: Command = {
  name: 'media delete',
  summary: later('media-delete'),
  args: [
    {
      name: '<image>',
      summary: later('media-delete-image'),
      words: ['cover', 'thumbnail'],
    },
  ],
  examples: ['slipway media delete thumbnail'],
  async run({ args, api }) {
    const image = args[0]!
    if (image !== 'cover' && image !== 'thumbnail' && !isUuid(image))
      throw new UsageError(t('media-not-image', { image }), t('media-uids-hint'))
    return answer(
      'delete',
      asMedia(await (await api()).send({ method: 'DELETE', path: `${MEDIA}/${image}` })),
    )
  },
}

const move: Command = {
  name: 'media move',
  summary: later('media-move'),
  args: [{ name: '<uid>', summary: later('media-image') }],
  flags: [
    {
      name: 'to',
      value: '<n>',
      summary: later('media-move-to', { max: String(LAST_POSITION) }),
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
      throw new UsageError(t('media-not-in-gallery', { uid }), t('media-uids-hint'))
    return putOrder(context, 'move', uids.filter((other) => other !== uid).toSpliced(to, 0, uid))
  },
}

const order: Command = {
  name: 'media order',
  summary: later('media-order'),
  args: [{ name: '<uid>', summary: later('media-order-images'), many: true }],
  async run(context) {
    const uids = context.args.map(uidOf)
    if (new Set(uids).size !== uids.length) throw new UsageError(t('media-twice'))
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
  throw new UsageError(t('media-not-uid', { text }), t('media-list-hint'))
}

function place(name: string, text: string): number {
  const value = /^\d{1,2}$/.test(text) ? Number(text) : galleryLimits.max
  if (value < galleryLimits.max) return value
  const values = { flag: name, min: '0', max: String(LAST_POSITION), text }
  throw new UsageError(t('whole-number', values))
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
