import { join } from 'node:path'
import { isUuid, uuidv7 } from '../security/crypto.ts'
import { makeFolder, replaceFile } from '../storage/storage.ts'
import { once } from './once.ts'

/** `id` belongs to the fact that causes the mail: sent again, it is the same mail. */
export type Message = {
  id: string
  to: string
  subject: string
  text: string
  created_at: Date | string
}
export type Mail = { send(message: Message): Promise<void> }

type Options = { smtp_url?: string | undefined; mail_from: string; data_dir: string }

/** Dot-separated words of visible characters, at a host name with at least one dot. */
const WORD = '[^\\s\\p{C}<>()[\\]\\\\,;:"@.]+'
const LABEL = '[\\p{L}\\p{N}](?:[\\p{L}\\p{N}-]*[\\p{L}\\p{N}])?'
const ADDRESS = new RegExp(`^(?=[^@]{1,64}@)${WORD}(?:\\.${WORD})*@${LABEL}(?:\\.${LABEL})+$`, 'u')

/** One plain address, as we write to: the same rule for whoever types one and for what is sent. */
export const isMailAddress = (text: string) => text.length <= 254 && ADDRESS.test(text)
const CONTROL = /[\x00-\x1f\x7f]/
const CONNECT_MS = 15_000
const SILENCE_MS = 60_000

export function createMail({ smtp_url, mail_from, data_dir }: Options): Mail {
  const deliver = smtp_url ? smtp(smtp_url, mail_from) : outbox(join(data_dir, 'outbox'))
  return {
    async send(message) {
      check(message)
      await deliver({ ...message, id: message.id.toLowerCase() })
    },
  }
}

/** One plain address and one line of subject: nothing in them can become another recipient or another header. */
function check({ id, to, subject, created_at }: Message): void {
  if (!isUuid(id)) throw new TypeError('The id of a mail must be a uuid')
  if (!isMailAddress(to)) throw new TypeError('The recipient of a mail must be one plain address')
  if (CONTROL.test(subject))
    throw new TypeError('The subject of a mail must be one line without control characters')
  if (Number.isNaN(new Date(created_at).getTime()))
    throw new TypeError('The time of a mail must be a date')
}

function smtp(url: string, from: string): (message: Message) => Promise<void> {
  const domain = /@([^\s<>@]+)>?\s*$/.exec(from)?.[1]
  if (!domain || CONTROL.test(from))
    throw new Error('MAIL_FROM must be an address, or a name and an address in angle brackets')
  const limits = {
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
  }
  // Loaded with the first mail: an idle service is meant to stay small.
  const transport = once(async () =>
    (await import('nodemailer')).createTransport({
      url,
      ...limits,
      disableFileAccess: true,
      disableUrlAccess: true,
    }),
  )
  return async ({ id, to, subject, text, created_at }) => {
    await (await transport()).sendMail({
      // Servers and readers recognise a repeat by it.
      messageId: `<${id}@${domain}>`,
      date: new Date(created_at),
      from,
      // As an object it is taken as it is, not read as a list.
      to: { name: '', address: to },
      subject,
      text,
      // Keeps holiday notices from answering.
      headers: { 'Auto-Submitted': 'auto-generated' },
    })
  }
}

/** Without a mail server every mail is a file for the operator, and for tests, to read. */
function outbox(folder: string): (message: Message) => Promise<void> {
  return async ({ id, to, subject, text, created_at }) => {
    await makeFolder(folder)
    const mail = { to, subject, text, created_at: new Date(created_at).toISOString() }
    const temp = join(folder, `.${uuidv7()}.tmp`)
    await replaceFile(join(folder, `${id}.json`), temp, (handle) =>
      handle.writeFile(`${JSON.stringify(mail, null, 2)}\n`),
    )
  }
}
