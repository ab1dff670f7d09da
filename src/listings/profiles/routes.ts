import { Type } from 'typebox'
import { checkMayPublish } from '../../accounts/people/suspension.ts'
import { clearIdentityCache } from '../../accounts/sessions/identity.ts'
import { website } from '../../accounts/sessions/schemes.ts'
import type { Sql } from '../../core/database/sql.ts'
import { transact } from '../../core/database/transaction.ts'
import { Body, Checked, nameSchemas, route } from '../../core/http/route.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { HOUR } from '../../core/runtime/units.ts'
import { perAccount } from '../../core/security/limits.ts'
import { uploadSeconds } from '../media/form.ts'
import { profileImageForm, readProfileImage } from './image-form.ts'
import { PROFILE_IMAGE_CHANGES_PER_HOUR, profileSlots } from './image-rules.ts'
import {
  profileImageUrls,
  removeProfileImages,
  saveProfileImage,
  storeProfileImage,
} from './images.ts'
import { checkProfile, profileLimits } from './profile.ts'
import { readProfile, readProfileImages, saveProfile } from './queries.ts'

const url = '/api/v1/private/settings/profile'

const ProfileData = Type.Object({
  bio: Type.String({ description: 'Markdown source' }),
  links: Type.Array(Type.String()),
  is_public: Type.Boolean({
    description: 'Whether the profile has a page without a listing, and your reviews link to it',
  }),
  avatar: Type.String({ description: 'The address of your avatar; empty without one' }),
  banner: Type.String({ description: 'The address of the banner of your page; empty without one' }),
})
nameSchemas({ Profile: ProfileData })

async function profileData({ addresses }: Core, sql: Sql, user_uid: string) {
  const [profile, images] = await Promise.all([
    readProfile(sql, user_uid),
    readProfileImages(sql, user_uid),
  ])
  return { ...profile, ...profileImageUrls(addresses, images) }
}

export const readProfileRoute = route({
  method: 'GET',
  url,
  summary: 'Read your profile',
  auth: website,
  data: ProfileData,
  handle: ({ core, sql, who }) => profileData(core, sql, who.user_uid),
})

export const saveProfileRoute = route({
  method: 'PUT',
  url,
  summary: 'Change your profile; parts that are left out stay as they are',
  auth: website,
  body: Body({
    bio: Type.Optional(
      Checked(Type.String({ maxLength: profileLimits.bio, description: 'Markdown' })),
    ),
    links: Type.Optional(
      Checked(
        Type.Array(Type.String(), { maxItems: profileLimits.links, description: 'https links' }),
      ),
    ),
    is_public: Type.Optional(Checked(Type.Boolean({ description: 'false by default' }))),
  }),
  data: ProfileData,
  errors: ['MALFORMED'],
  async handle({ core, sql, who, body }) {
    checkMayPublish(who)
    const profile = checkProfile(body, await readProfile(sql, who.user_uid))
    await saveProfile(sql, who.user_uid, profile)
    return profileData(core, sql, who.user_uid)
  },
})

/** Shared by uploads and removals. */
const imageLimits = [
  perAccount(PROFILE_IMAGE_CHANGES_PER_HOUR, { seconds: HOUR, bucket: 'profile images' }),
]

export const uploadProfileImage = route({
  method: 'POST',
  url: `${url}/images`,
  summary: 'Upload your avatar or the banner of your page: multipart, with kind and file',
  description:
    'An avatar is cropped to a square of up to 512 pixels, a banner to up to 1920 x 480, both ' +
    'around the middle. Metadata of the file is not stored. Your avatar is public where your ' +
    'profile is: on the page of a developer with a public listing, and with a public profile.',
  auth: website,
  limits: imageLimits,
  raw_body: true,
  stores_files: 'account',
  described: profileImageForm,
  receive_seconds: uploadSeconds,
  data: ProfileData,
  errors: ['FILE_MISSING', 'INVALID_MEDIA', 'IMAGE_REJECTED'],
  async handle({ core, sql, who, request }) {
    checkMayPublish(who)
    const { slot, bytes } = await readProfileImage(request.raw)
    const image = await storeProfileImage(core, slot, bytes)
    await saveProfileImage(core, who.user_uid, slot, image)
    clearIdentityCache()
    return profileData(core, sql, who.user_uid)
  },
})

export const deleteProfileImage = route({
  method: 'DELETE',
  url: `${url}/images/:kind`,
  summary: 'Remove your avatar or banner',
  auth: website,
  limits: imageLimits,
  params: Type.Object({ kind: Type.String({ description: 'avatar or banner' }) }),
  data: ProfileData,
  errors: ['NOT_FOUND'],
  async handle({ core, sql, who, params }) {
    const slot = profileSlots.find((name) => name === params.kind) ?? refuse('NOT_FOUND')
    const removed = await transact(core.sql, (tx) =>
      removeProfileImages(core, tx, who.user_uid, [slot]),
    )
    if (!removed) refuse('NOT_FOUND')
    clearIdentityCache()
    return profileData(core, sql, who.user_uid)
  },
})

export const profileRoutes = [
  readProfileRoute,
  saveProfileRoute,
  uploadProfileImage,
  deleteProfileImage,
]
