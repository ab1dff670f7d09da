import { join } from 'node:path'
import { once } from '../runtime/once.ts'
import { type Explanation, explain } from '../runtime/reasons.ts'
import { MINUTE_MS } from '../runtime/units.ts'
import { isUuid, uuidv7 } from '../security/crypto.ts'
import { makeFolder, replaceFile } from '../storage/durable-files.ts'

/** `id` identifies the event that causes the mail, so that a repeat is recognized as one. */
export type Message = {
  id: string
  to: string
  subject: string
  text: string
  created_at: Date | string
}
export type Mail = { send(message: Message): Promise<void> }

type Options = {
  /** Read for every mail where operators can change it. */
  smtp_url?: string | undefined | (() => Promise<string | undefined>)
  /** Read for every mail, because it contains the name of the store. */
  sender: () => string
  data_dir: string
}

/** The sender of mails: as configured, or the store without an address. */
export const mailSender = (mail_from: string, store_name: string): string =>
  mail_from || `${store_name.replace(/[<>",@]/g, ' ')} <no-reply@localhost>`

/** Words of visible characters, separated by dots, at a host name with at least one dot. */
const WORD = '[^\\s\\p{C}<>()[\\]\\\\,;:"@.]+'
const LABEL = '[\\p{L}\\p{N}](?:[\\p{L}\\p{N}-]*[\\p{L}\\p{N}])?'
const ADDRESS = new RegExp(`^(?=[^@]{1,64}@)${WORD}(?:\\.${WORD})*@${LABEL}(?:\\.${LABEL})+$`, 'u')

/** The same rule for addresses that people type and for addresses that mail is sent to. */
export const isMailAddress = (text: string) => text.length <= 254 && ADDRESS.test(text)
const CONTROL = /[\x00-\x1f\x7f]/
const CONNECT_MS = 15_000
const IDLE_MS = MINUTE_MS

export function createMail({ smtp_url, sender, data_dir }: Options): Mail {
  const deliveryBy = (url: string | undefined) => ({
    url,
    deliver: url ? smtp(url, sender) : outbox(join(data_dir, 'outbox')),
  })
  const is_fixed = typeof smtp_url !== 'function'
  let delivery = deliveryBy(is_fixed ? smtp_url : undefined)
  return {
    async send(message) {
      check(message)
      const url = is_fixed ? smtp_url : await smtp_url()
      if (url !== delivery.url) delivery = deliveryBy(url)
      await delivery.deliver({ ...message, id: message.id.toLowerCase() })
    },
  }
}

/** Why a text is not the sender of mails. */
export function senderProblem(text: string): Explanation | undefined {
  const address = text.match(/^[^<>\p{C}]*<([^<>]+)>$/u)?.[1] ?? text
  if (isMailAddress(address) || (address.endsWith('@localhost') && !CONTROL.test(address)))
    return undefined
  return explain('mail_sender', 'use an email address, or a name and an address in angle brackets')
}

/** Why a text is not the recipient of mails. */
export const recipientProblem = (text: string): Explanation | undefined =>
  isMailAddress(text) ? undefined : explain('mail_recipient', 'use one email address')

/** Ensures that the address and subject cannot add another recipient or header. */
function check({ id, to, subject, created_at }: Message): void {
  if (!isUuid(id)) throw new TypeError('The id of a mail must be a uuid')
  if (!isMailAddress(to)) throw new TypeError('The recipient of a mail must be one plain address')
  if (CONTROL.test(subject))
    throw new TypeError('The subject of a mail must be one line without control characters')
  if (Number.isNaN(new Date(created_at).getTime()))
    throw new TypeError('The time of a mail must be a date')
}

function smtp(url: string, sender: () => string): (message: Message) => Promise<void> {
  domainOf(sender())
  const limits = {
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: IDLE_MS,
  }
  // Loaded with the first mail, so that an idle service stays small.
  const transport = once(async () =>
    (await import('nodemailer')).createTransport({
      url,
      ...limits,
      disableFileAccess: true,
      disableUrlAccess: true,
    }),
  )
  return async ({ id, to, subject, text, created_at }) => {
    const from = sender()
    await (await transport()).sendMail({
      // Mail servers and clients recognize a repeat by it.
      messageId: `<${id}@${domainOf(from)}>`,
      date: new Date(created_at),
      from,
      // As an object it is not parsed as a list of addresses.
      to: { name: '', address: to },
      subject,
      text,
      // Keeps out-of-office replies from being sent.
      headers: { 'Auto-Submitted': 'auto-generated' },
    })
  }
}

function domainOf(from: string): string {
  const domain = /@([^\s<>@]+)>?\s*$/.exec(from)?.[1]
  if (!domain || CONTROL.test(from))
    throw new Error('MAIL_FROM must be an address, or a name and an address in angle brackets')
  return domain
}

/** Without a mail server every mail becomes a file, for the operator and for tests. */
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
