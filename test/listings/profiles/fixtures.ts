import type { Answer, Call } from '../../support/app.ts'
import type { Person } from '../../support/builders.ts'
import { form } from '../../support/images.ts'

export const PROFILE = '/api/v1/private/settings/profile'
export const IMAGES = `${PROFILE}/images`

type Post = (path: string, body?: unknown, options?: Call) => Promise<Answer>

/** Uploads an avatar or banner. */
export const uploadImage = async (
  { post }: { post: Post },
  person: Person,
  kind: string,
  bytes: Uint8Array,
): Promise<Answer> =>
  post(IMAGES, undefined, { token: person.token, ...(await form({ kind }, [{ bytes }])) })
