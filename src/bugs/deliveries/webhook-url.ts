import type { Core } from '../../core/runtime/core.ts'
import { type Explanation, explain } from '../../core/runtime/reasons.ts'
import { checkUrl } from '../../core/security/address-guard.ts'

export type WebhookRules = {
  /** Whether `http://127.0.0.1` is allowed. */
  loopback: boolean
  /** The ports there that belong to this service and to the servers it uses. */
  own_ports: ReadonlySet<number>
}

/** Webhooks may lead anywhere on this machine except to the service itself and its servers. */
export function webhookRules({
  config,
  addresses,
  settings,
}: Pick<Core, 'config' | 'addresses' | 'settings'>): WebhookRules {
  const urls = [
    ...Object.values(addresses),
    config.database_url,
    config.database_replica_url,
    config.s3_url,
    config.s3_public_url,
    config.redis_url,
    config.clamd_url,
    config.smtp_url,
  ]
  const mail_port = settings.mail_server?.local_port ?? undefined
  const ports = [...urls.map(localPort), config.port, config.metrics_port, mail_port]
  return {
    loopback: config.webhook_loopback ?? isForThisMachine(config),
    own_ports: new Set(ports.filter((port) => port !== undefined)),
  }
}

/**
 * Whether only this machine reaches the service, as when it is tried out. Then whoever saves a
 * webhook can call its receiver anyway; on a store of others it would be a way into the machine.
 */
const isForThisMachine = ({ host, base_url, web_url, upload_url }: Core['config']) =>
  isLoopback(host) && [base_url, web_url, upload_url].every((url) => !url || isLocal(new URL(url)))

const isLocal = ({ hostname }: URL) => isLoopback(hostname.replace(/^\[|\]$/g, ''))
const isLoopback = (host: string) => /^(127\.\d+\.\d+\.\d+|localhost|::1)$/.test(host)

const defaultPorts: Record<string, number> = {
  'http:': 80,
  'https:': 443,
  'postgres:': 5432,
  'postgresql:': 5432,
  'redis:': 6379,
  'rediss:': 6379,
  'smtp:': 25,
  'smtps:': 465,
  'tcp:': 3310,
}

/** The port of a URL that leads to this machine. */
function localPort(address: string | undefined): number | undefined {
  const url = address ? URL.parse(address) : null
  if (!url || !/^(127\.|localhost$|\[::1\]$|0\.0\.0\.0$)/.test(url.hostname)) return undefined
  return url.port ? Number(url.port) : defaultPorts[url.protocol]
}

/**
 * Why a URL is not allowed, as far as that is known without resolving its host name. Checked when
 * the settings are saved and again at every attempt.
 */
export function webhookProblem(
  url: string,
  { loopback, own_ports }: WebhookRules,
): Explanation | undefined {
  const checked = checkUrl(url, { loopback })
  if (!checked.ok)
    return explain(
      'webhook_url',
      `${checked.message}; give an https URL with a public host` +
        (loopback ? ', or http://127.0.0.1 for a receiver on this machine' : ''),
    )
  // Only loopback URLs are unguarded; all others can lead to public addresses only.
  if (!checked.guarded && own_ports.has(Number(checked.url.port || 80)))
    return explain('webhook_port', 'this port belongs to the service itself')
  return undefined
}
