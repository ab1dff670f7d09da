import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { eventually, temporaryFolder } from '../app.ts'
import { freePort } from '../child.ts'
import { cleanup } from '../cleanup.ts'
import { isReachable } from '../daemon.ts'

/** The ports of the processes behind each upstream of the deployed nginx configuration. */
export type Upstreams = Record<'api' | 'web' | 'upload', string[]>

type NginxOptions = { port?: string; body_seconds?: number; error_log?: string }

/**
 * Starts nginx with the configuration of deploy/, in which only the addresses are replaced, and
 * the time for a body where a test needs a short one. Returns its URL.
 */
export async function startNginx(
  t: TestContext,
  upstreams: Upstreams,
  { port, body_seconds, error_log }: NginxOptions = {},
): Promise<string> {
  const folder = temporaryFolder(t)
  const listen_port = port ?? (await freePort())
  const file = join(folder, 'nginx.conf')
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  const log = error_log ?? `${folder}/log`
  const main = `${user} daemon off; worker_processes 2; pid ${folder}/pid; error_log ${log};`
  const http = adaptedHttp(folder, listen_port, upstreams).replace(
    /(?<=client_body_timeout )\d+/,
    (seconds) => String(body_seconds ?? seconds),
  )
  writeFileSync(file, `${main} events {} ${http}`)
  const nginx = spawn('nginx', ['-p', folder, '-c', file], { stdio: 'ignore' })
  cleanup(t, () => nginx.kill('SIGTERM'))
  const url = `http://127.0.0.1:${listen_port}`
  await eventually('nginx to be ready', () => isReachable(`${url}/health`))
  return url
}

/** The http block with the configuration of deploy/, for plain http at a port of this machine. */
export function adaptedHttp(folder: string, listen_port: string, upstreams: Upstreams): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${folder}/${kind};`)
    .join(' ')
  const conf = readFileSync(join(import.meta.dirname, '../../../deploy/nginx.conf'), 'utf8')
    .replaceAll(/server (api|web|upload):8080 (.*);/g, (_, role: keyof Upstreams, flags) =>
      upstreams[role].map((upstream) => `server 127.0.0.1:${upstream} ${flags};`).join(' '),
    )
    // Most tests are about what is behind TLS; test/system/deploy/nginx.test.ts has one with it.
    .replace(/^server \{\n {2}listen 80;[\s\S]*?^\}\n/m, '')
    .replace('listen 443 ssl;', `listen 127.0.0.1:${listen_port};`)
    .replaceAll(/^ *(ssl_|access_log|error_log).*$/gm, '')
  return `http { access_log off; ${temporary} ${conf} }`
}
