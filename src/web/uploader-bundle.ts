import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { build, stop } from 'esbuild'
import packageFile from '../../package.json' with { type: 'json' }

const root = join(import.meta.dirname, '../..')

/** The addresses an uploader talks to when neither a flag nor the environment names others. */
export type UploaderDefaults = { api_url: string; upload_url: string }

let last: Promise<unknown> = Promise.resolve()

/** The uploader in cli/ as the text of one file that needs Node and nothing else. One at a time, since the bundler ends with each. */
export function bundleUploader(defaults: UploaderDefaults): Promise<string> {
  const bundle = last.then(
    () => bundleNow(defaults),
    () => bundleNow(defaults),
  )
  last = bundle
  return bundle
}

async function bundleNow(defaults: UploaderDefaults): Promise<string> {
  try {
    const { outputFiles } = await build({
      absWorkingDir: root,
      entryPoints: ['cli/main.ts'],
      bundle: true,
      write: false,
      format: 'esm',
      // Not "node": libraries then come as modules, of which only what is used goes in.
      platform: 'neutral',
      conditions: ['import'],
      alias: { 'node:zlib': './cli/zlib.ts' },
      external: ['node:*', 'zlib'],
      target: 'node20',
      charset: 'utf8',
      minifySyntax: true,
      minifyWhitespace: true,
      define: { SLIPWAY_BUNDLED: JSON.stringify({ version: packageFile.version, ...defaults }) },
      banner: { js: '#!/usr/bin/env node' },
      footer: { js: notices() },
      logLevel: 'silent',
    })
    return outputFiles[0]!.text
  } finally {
    // Its helper process would otherwise stay for as long as the service does.
    await stop()
  }
}

/** The licences of what is inside ask to go with it. */
function notices(): string {
  const folder = dirname(createRequire(import.meta.url).resolve('yaml/package.json'))
  const licence = readFileSync(join(folder, 'LICENSE'), 'utf8').trim()
  return `/*\nThe uploader of Slipway, Apache-2.0. It holds the package yaml:\n\n${licence}\n*/`
}
