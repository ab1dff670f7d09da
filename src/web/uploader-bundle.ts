import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, parse } from 'node:path'
import { fileURLToPath } from 'node:url'
import { FluentResource } from '@fluent/bundle'
import { build, stop } from 'esbuild'
import packageFile from '../../package.json' with { type: 'json' }

const root = join(import.meta.dirname, '../..')

/** The addresses that the uploader uses unless a flag or the environment names others. */
export type UploaderDefaults = { api_url: string; upload_url: string }

let previous: Promise<unknown> = Promise.resolve()

/**
 * The uploader in cli/ as one file that needs only Node. Bundles are made one after the other,
 * since each one stops the bundler.
 */
export function bundleUploader(defaults: UploaderDefaults): Promise<string> {
  const bundle = previous.then(
    () => bundleNow(defaults),
    () => bundleNow(defaults),
  )
  previous = bundle
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
      // With "node", libraries would come as CommonJS, of which unused parts cannot be removed.
      platform: 'neutral',
      conditions: ['import'],
      alias: { 'node:http': './cli/builtin-http.ts', 'node:zlib': './cli/zlib.ts' },
      external: ['node:*', 'zlib'],
      // All characters are ASCII by default, which Node reads and parses faster.
      target: 'node20',
      minifySyntax: true,
      minifyWhitespace: true,
      mainFields: ['module', 'main'],
      define: { SLIPWAY_BUNDLED: JSON.stringify(bundledValues(defaults)) },
      banner: { js: '#!/usr/bin/env node' },
      footer: { js: notices() },
      logLevel: 'silent',
    })
    return outputFiles[0]!.text
  } finally {
    // Otherwise its helper process would run as long as the service.
    await stop()
  }
}

const bundledValues = (defaults: UploaderDefaults) => ({
  version: packageFile.version,
  ...defaults,
  messages: readMessages(join(root, 'cli/messages')),
})

/**
 * The parsed messages of the uploader by language, as text. To parse their source would take a
 * tenth of the time of a start.
 */
const readMessages = (folder: string) =>
  Object.fromEntries(
    readdirSync(folder).map((file) => {
      const { body } = new FluentResource(readFileSync(join(folder, file), 'utf8'))
      return [parse(file).name, JSON.stringify(body)]
    }),
  )

/** The licenses of bundled packages require their text, or their name, to be included. */
function notices(): string {
  const texts = ['yaml', 'htmlparser2', 'entities'].map(
    (name) => `The package ${name}:\n\n${readFileSync(licensePath(name), 'utf8').trim()}`,
  )
  return `/*
The uploader of Slipway, Apache-2.0. It holds the package @fluent/bundle by Mozilla and others,
Apache-2.0 (https://www.apache.org/licenses/LICENSE-2.0), and the packages below.

${texts.join('\n\n')}
*/`
}

/** Beside the files of a package; some do not let their package.json be resolved. */
function licensePath(name: string): string {
  let folder = dirname(fileURLToPath(import.meta.resolve(name)))
  while (!existsSync(join(folder, 'LICENSE'))) folder = dirname(folder)
  return join(folder, 'LICENSE')
}
