import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newToken } from '../src/core/security/crypto.ts'
import { compareServers, scratch } from './support/harness.ts'
import { baselineCommand } from './support/processes.ts'

const NGINX_PORT = 18_099
const bytes = JSON.stringify({
  success: true,
  data: { currency: 'USD', min_price_cents: 99, max_price_cents: 50_000, free_allowed: true },
})

const nginx = (folder: string) => `
daemon off; worker_processes 1; pid ${folder}/nginx.pid; error_log ${folder}/error.log; user root;
events { worker_connections 1024; }
http {
  access_log off;
  client_body_temp_path ${folder};
  proxy_temp_path ${folder};
  fastcgi_temp_path ${folder};
  uwsgi_temp_path ${folder};
  scgi_temp_path ${folder};
  server {
    listen 127.0.0.1:${NGINX_PORT};
    location / { default_type "application/json; charset=utf-8"; return 200 '${bytes}'; }
  }
}`

/**
 * Target: a small route with envelope, authentication and limits reaches at least 0.6 of bare
 * node:http on one core.
 */
export async function smallJson() {
  const { folder, remove } = scratch()
  writeFileSync(join(folder, 'nginx.conf'), nginx(folder))
  const token = newToken('svc_sess_')
  const ours = (name: string) => ({
    command: baselineCommand('small-route.ts'),
    env: { DATA_DIR: join(folder, name), BENCH_TOKEN: token },
    log_file: join(folder, `${name}.log`),
  })
  try {
    return await compareServers('Small JSON route, one core', [
      {
        name: 'bare node:http, same bytes',
        command: baselineCommand('bare-http.ts'),
        env: { BENCH_BYTES: bytes },
      },
      { name: 'Slipway route, signed out', ...ours('out') },
      {
        name: 'Slipway route, signed in',
        ...ours('in'),
        headers: { authorization: `Bearer ${token}` },
      },
      {
        name: 'nginx, same bytes from memory',
        command: ['nginx', '-c', join(folder, 'nginx.conf')],
        url: `http://127.0.0.1:${NGINX_PORT}/`,
      },
    ])
  } finally {
    remove()
  }
}
