import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/**
 * Creates a self-signed certificate and its key for a name and this machine, as files in a folder.
 */
export function makeCertificate(folder: string, host: string): { key: string; cert: string } {
  const key = join(folder, 'key.pem')
  const cert = join(folder, 'cert.pem')
  const request = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2'.split(' ')
  const subject = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host},IP:127.0.0.1`]
  execFileSync('openssl', [...request, ...subject, '-keyout', key, '-out', cert], {
    stdio: 'ignore',
  })
  return { key, cert }
}
