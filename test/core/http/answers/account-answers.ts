import { addAdmin, must, PASSWORD } from '../../../support/builders.ts'
import { form as multipart } from '../../../support/images.ts'
import type { Producer, Request, World } from './private-world.ts'

const invite: Producer = async (world) => {
  const { listing } = await world.fresh()
  const person = await world.a.developer()
  await addAdmin(world.sql, listing.uid, person.uid, false)
  return { token: person.token, values: { uid: listing.uid } }
}

/** The callback that the store redirects a person to, who linked an account of it. */
async function linkedCallback(world: World, account = world.store.control.account({}).id) {
  const person = await world.a.user()
  const { body } = await world.get('/api/v1/private/account/extstore/link', person)
  const login = new URL(body.data.url)
  login.searchParams.set('sim_account', account)
  const back = await fetch(login, { redirect: 'manual' })
  const { pathname, search } = new URL(back.headers.get('location')!)
  return { account, request: { token: person.token, path: `${pathname}${search}` } }
}

const profileImage = async ({ a, image }: World, kind: string): Promise<Request> => ({
  token: (await a.user()).token,
  ...(await image(kind)),
})

export const accountAnswers: Record<string, Producer> = {
  'post_private_operations_jobs_replay 200': ({ owner }) => ({ token: owner.token, body: {} }),
  'post_private_operations_test_mail 200': ({ owner }) => ({ token: owner.token }),
  'post_private_account_store_terms 200': async ({ a, core, sql }) => {
    await sql`
      insert into policies (kind, version, text, summary, effective_from)
      values ('terms', 1, 'Be kind.', '', now() + interval '300 days')`
    await core.settings.reload()
    return { token: (await a.user()).token, body: { store_terms_version: 1 } }
  },
  'post_private_operations_policies 201': ({ owner }) => ({
    token: owner.token,
    body: { kind: 'about', text: 'We are here.' },
  }),
  'post_private_operations_policies 409': ({ owner }) => ({
    token: owner.token,
    body: { kind: 'about', text: 'We are here.', previous_version: 900 },
  }),
  'post_private_account_register 201': () => ({
    body: { username: 'someone', email: 'someone@example.com', password: PASSWORD },
  }),
  'post_private_account_register 409': ({ owner: { username } }) => ({
    body: { username, email: 'other@example.com', password: PASSWORD },
  }),
  'post_private_account_developer 200': async ({ a }) => ({
    token: (await a.user()).token,
    body: { enabled: true, accept_terms: true },
  }),
  'post_private_account_developer 409': ({ owner }) => ({
    token: owner.token,
    body: { enabled: false },
  }),
  'put_private_settings_adult 200': async ({ a }) => ({
    token: (await a.user()).token,
    body: { show: true, confirm_18: true },
  }),
  'put_private_settings_profile 200': async ({ a }) => ({
    token: (await a.user()).token,
    body: { bio: 'I row.' },
  }),
  'post_private_settings_profile_images 200': (world) => profileImage(world, 'avatar'),
  'post_private_settings_profile_images 422': async ({ a }) => ({
    token: (await a.user()).token,
    ...(await multipart({ kind: 'avatar' }, [{ bytes: Buffer.from('text') }])),
  }),
  'delete_private_settings_profile_images_kind 200': async (world) => {
    const upload = await profileImage(world, 'banner')
    must(await world.call('POST', '/api/v1/private/settings/profile/images', upload))
    return { token: upload.token, values: { kind: 'banner' } }
  },
  'put_private_settings_language 200': async ({ a }) => ({
    token: (await a.user()).token,
    body: { language: null },
  }),
  'put_private_settings_theme 200': async ({ a }) => ({
    token: (await a.user()).token,
    body: { theme: 'dark' },
  }),
  'post_private_account_export 200': async ({ a }) => ({
    token: (await a.user()).token,
    body: { password: PASSWORD },
  }),
  'post_private_account_delete 200': async ({ a }) => {
    const { token, username } = await a.user()
    return { token, body: { username, password: PASSWORD } }
  },
  'post_private_account_delete 409': ({ owner: { token, username } }) => ({
    token,
    body: { username, password: PASSWORD },
  }),
  'put_private_games_uid_library_hidden 200': async (world) => ({
    ...(await world.played()),
    body: { hidden: true },
  }),
  'delete_private_games_uid_library 200': (world) => world.played(),
  'post_private_invites_uid_accept 200': invite,
  'post_private_invites_uid_decline 200': invite,
  'get_private_account_extstore_callback 200': async (world) =>
    (await linkedCallback(world)).request,
  'get_private_account_extstore_callback 303': async (world) => ({
    ...(await linkedCallback(world)).request,
    headers: { accept: 'text/html' },
  }),
  'get_private_account_extstore_callback 409': async (world) => {
    const { account, request } = await linkedCallback(world)
    await world.get(request.path, request)
    return (await linkedCallback(world, account)).request
  },
  'get_private_account_extstore_callback 502': async (world) => {
    const { request } = await linkedCallback(world)
    world.store.control.fault({ on: 'any', mode: 'status', status: 503 })
    return request
  },
  'delete_private_account_extstore 200': async ({ a }) => ({ token: (await a.user()).token }),
}
