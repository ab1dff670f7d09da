import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

export const root = join(import.meta.dirname, '../../..')
export const read = (name: string) => readFileSync(join(root, name), 'utf8')
export const readCompose = () => parse(read('deploy/compose.yaml'), { merge: true })
