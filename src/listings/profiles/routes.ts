import { Type } from 'typebox'
import { website } from '../../accounts/sessions/schemes.ts'
import { Body, Checked, nameSchemas, route } from '../../core/http/route.ts'
import { checkProfile, profileLimits } from './profile.ts'
import { readProfile, saveProfile } from './queries.ts'

const url = '/api/v1/private/settings/profile'

const ProfileData = Type.Object({
  bio: Type.String({ description: 'Markdown source' }),
  links: Type.Array(Type.String()),
  is_public: Type.Boolean({
    description: 'Whether the profile has a page without a listing, and your reviews link to it',
  }),
})
nameSchemas({ Profile: ProfileData })

export const readProfileRoute = route({
  method: 'GET',
  url,
  summary: 'Read your profile',
  auth: website,
  data: ProfileData,
  handle: ({ sql, who }) => readProfile(sql, who.user_uid),
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
  async handle({ sql, who, body }) {
    const profile = checkProfile(body, await readProfile(sql, who.user_uid))
    await saveProfile(sql, who.user_uid, profile)
    return profile
  },
})
