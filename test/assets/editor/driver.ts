import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, globSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { eventually } from '../../support/app.ts'
import { startRelay } from './relay.ts'

/**
 * Drives a real, unmodified Godot 3 editor under a virtual X display. Clicks and keys are X events
 * (xdotool) on the editor's window; a plugin in the editor's throwaway project reports what is
 * visible and where (plugin/widget_reader.gd).
 */
const EDITOR = 'godot3'
const STEP_SECONDS = 120
const START_TRIES = 3
const POLL_MS = 250
/** How long the editor gets to react to a click before the click is repeated. */
const REACTION_MS = 5000

type Widget = {
  type: string
  path: string
  x: number
  y: number
  width: number
  height: number
  text: string
  disabled: boolean
}
type Target = { type?: string; in?: string; text?: string }

const LIBRARY = '/EditorAssetLibrary'
const ITEM = `${LIBRARY}/EditorAssetLibraryItem`
const DETAILS = '/EditorAssetLibraryItemDescription'
const DOWNLOAD = '/EditorAssetLibraryItemDownload'
const INSTALLER = '/EditorAssetInstaller'

type Options = {
  /** The asset library's address, as an editor has it in its settings. */
  library: string
  /** Receives the project, the editor's home, its log and the screenshots. */
  folder: string
}
export type Editor = Awaited<ReturnType<typeof startEditor>>

export async function startEditor({ library, folder }: Options) {
  const version = editorVersion()
  const has_site_setting = compareVersions(version, [3, 2, 4]) >= 0
  const project = join(folder, 'project')
  const widget_file = join(folder, 'widgets.json')
  const env = environment(folder, widget_file)
  writeSettings(join(folder, 'config/godot'), library)
  writeProject(project, version)

  const relay = has_site_setting ? undefined : await startRelay(library)
  const display = await startDisplay()
  const screen = { ...env, DISPLAY: display.name }
  let editor: ChildProcess | undefined

  const widgets = (): Widget[] => {
    try {
      return JSON.parse(readFileSync(widget_file, 'utf8'))
    } catch {
      return []
    }
  }
  const find = (target: Target) => widgets().find((widget) => matches(widget, target))
  const visible = (target: Target) => find(target) !== undefined
  const texts = (path: string) =>
    widgets()
      .filter((widget) => widget.path.endsWith(path))
      .map(({ text }) => text)

  // An item has three links: title, category and author.
  const listedTitles = () =>
    widgets()
      .filter((widget) => matches(widget, { type: 'LinkButton', in: ITEM }))
      .map(({ text }) => text)
      .filter((_, index) => index % 3 === 0)

  function screenshot(name: string) {
    execFileSync('import', ['-window', 'root', join(folder, `${name}.png`)], { env: screen })
  }

  function clickOn(target: Target): boolean {
    const widget = find(target)
    if (!widget || widget.disabled) return false
    // The text of a link is at its left; the rest of its rectangle may be covered.
    const width = widget.type === 'LinkButton' ? Math.min(widget.width, 40) : widget.width
    const x = Math.round(widget.x + width / 2)
    const y = Math.round(widget.y + widget.height / 2)
    xdotool('mousemove', String(x), String(y), 'sleep', '0.1', 'click', '1')
    return true
  }
  const xdotool = (...args: string[]) => execFileSync('xdotool', args, { env: screen })

  /** Waits until something is visible; on failure, names what the editor shows instead. */
  async function waitFor(description: string, condition: () => boolean) {
    const poll = async () => {
      if (condition()) return true
      if (editor?.exitCode !== null) throw new Error(`the editor exited: ${editorLog()}`)
      await pause(POLL_MS)
      return false
    }
    await eventually(description, poll, STEP_SECONDS).catch((error) => {
      screenshot('failed')
      throw new Error(
        [
          error.message,
          `asset library: ${texts(LIBRARY).join(' | ')}`,
          `download: ${texts(DOWNLOAD).join(' | ')}`,
          `requests: ${relay?.log.join(', ')}`,
          `editor log: ${editorLog()}`,
        ].join('\n'),
      )
    })
  }

  /** Clicks until the click has taken effect: an editor that is busy drops some. */
  async function clickUntil(target: Target, description: string, done: () => boolean) {
    let next = 0
    await waitFor(description, () => {
      if (done()) return true
      if (Date.now() >= next && clickOn(target)) next = Date.now() + REACTION_MS
      return false
    })
  }

  const editorLog = () =>
    readFileSync(join(folder, 'editor.log'), 'utf8')
      .split('\n')
      .filter((line) => /ERROR|WARNING/.test(line))
      .slice(-5)
      .join(' | ')

  function spawnEditor() {
    rmSync(widget_file, { force: true })
    const log = openSync(join(folder, 'editor.log'), 'w')
    editor = spawn(
      EDITOR,
      [
        ...['--editor', '--path', project],
        ...['--audio-driver', 'Dummy', '--video-driver', 'GLES2'],
        ...['--resolution', '1400x950', '--position', '0,0'],
      ],
      { env: screen, stdio: ['ignore', log, log] },
    )
  }

  /** The binary sometimes crashes or hangs while it starts, before it sends any request. */
  async function open() {
    const opened = { in: LIBRARY, text: 'Import...' }
    for (let attempt = 1; ; attempt++) {
      spawnEditor()
      try {
        await clickUntil({ in: '', text: 'AssetLib' }, 'the asset library tab to open', () =>
          visible(opened),
        )
        break
      } catch (error) {
        await stopProcess(editor)
        if (attempt === START_TRIES) throw error
      }
    }
    if (!has_site_setting) await chooseLocalSite()
    await waitFor('the editor to list an asset', () => texts(ITEM).length > 0)
    screenshot('list')
  }

  async function chooseLocalSite() {
    const menu = { type: 'OptionButton', in: LIBRARY, text: 'godotengine.org' }
    const item = { type: 'MenuItem', text: 'localhost' }
    await clickUntil(menu, 'the list of sites to open', () => visible(item))
    await clickUntil(item, 'the site localhost to be chosen', () =>
      visible({ type: 'OptionButton', in: LIBRARY, text: 'localhost' }),
    )
  }

  async function search(title: string) {
    clickOn({ type: 'LineEdit', in: LIBRARY })
    xdotool('sleep', '0.3', 'type', '--delay', '40', '--', title)
    xdotool('key', 'Return')
    await waitFor(`the editor to list only "${title}"`, () => {
      const titles = listedTitles()
      return titles.length === 1 && titles[0] === title
    })
    screenshot('search')
  }

  async function openDetails(title: string) {
    await clickUntil({ type: 'LinkButton', in: ITEM, text: title }, 'the details to open', () =>
      visible({ type: 'Button', in: DETAILS, text: 'Download' }),
    )
    screenshot('details')
  }

  /** Downloads the opened asset and returns the bytes that the editor saved and verified. */
  async function download(): Promise<Buffer> {
    const status = () => texts(DOWNLOAD).join(' | ')
    await clickUntil(
      { type: 'Button', in: DETAILS, text: 'Download' },
      'the download to start',
      () => status() !== '',
    )
    const ended = /Success!|Ready to install|Fail|Can't|No response|[Ee]rror|Timeout|Redirect/
    await waitFor('the download to end', () => ended.test(status()))
    screenshot('downloaded')
    if (!/Success!|Ready to install/.test(status()))
      throw new Error(`the editor did not accept the download: ${status()}`)
    const [path] = globSync(join(folder, 'cache/godot/tmp_asset_*.zip'))
    return readFileSync(path!)
  }

  /** Installs the downloaded asset and returns all files of the project once `paths` exist. */
  async function install(paths: string[]): Promise<string[]> {
    await clickUntil(
      { type: 'Button', in: DOWNLOAD, text: 'Install...' },
      'the installer to open',
      () => visible({ type: 'Button', in: INSTALLER, text: 'Install' }),
    )
    screenshot('installer')
    const areInstalled = () => {
      const existing = projectFiles()
      return paths.every((path) => existing.includes(path))
    }
    await clickUntil(
      { type: 'Button', in: INSTALLER, text: 'Install' },
      'the asset to be installed',
      areInstalled,
    )
    screenshot('installed')
    return projectFiles()
  }

  /** Files that neither the editor nor this driver created. */
  const projectFiles = () =>
    globSync('**', { cwd: project, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(project, join(entry.parentPath, entry.name)))
      .filter((path) => !/^(project\.godot|\.import\/|addons\/widget_reader\/)/.test(path))
      .filter((path) => !path.endsWith('.import'))
      .sort()

  async function stop() {
    await stopProcess(editor)
    await display.stop()
    relay?.stop()
  }

  return { version: version.join('.'), open, search, openDetails, download, install, stop }
}

/** Whether a widget is what is looked for; `in` is the end of its path, or '' for the whole path. */
function matches(widget: Widget, target: Target): boolean {
  const in_path = target.in === '' ? widget.path === '' : widget.path.endsWith(target.in ?? '')
  return (
    in_path &&
    (target.type === undefined || widget.type === target.type) &&
    (target.text === undefined || widget.text === target.text)
  )
}

function editorVersion(): number[] {
  // The exit code is 255 even on success.
  const { stdout, stderr } = spawnSync(EDITOR, ['--version'], { encoding: 'utf8' })
  const version = /^(\d+)\.(\d+)(?:\.(\d+))?/m.exec(stdout)
  if (!version) throw new Error(`cannot read the version of ${EDITOR}: ${stdout}${stderr}`)
  return version.slice(1).map((part) => Number(part ?? 0))
}

const compareVersions = (a: number[], b: number[]) =>
  a[0]! - b[0]! || a[1]! - b[1]! || a[2]! - b[2]!

/** Nothing of the developer's own editor is read or changed, and no proxy is used. */
function environment(folder: string, widget_file: string): NodeJS.ProcessEnv {
  const runtime = join(folder, 'run')
  mkdirSync(runtime, { mode: 0o700 })
  return {
    PATH: process.env.PATH,
    HOME: folder,
    XDG_CONFIG_HOME: join(folder, 'config'),
    XDG_DATA_HOME: join(folder, 'data'),
    XDG_CACHE_HOME: join(folder, 'cache'),
    XDG_RUNTIME_DIR: runtime,
    LIBGL_ALWAYS_SOFTWARE: '1',
    WIDGET_FILE: widget_file,
  }
}

function writeSettings(folder: string, library: string) {
  mkdirSync(folder, { recursive: true })
  const settings = `[gd_resource type="EditorSettings" format=2]

[resource]
interface/editor/editor_language = "en"
interface/editor/display_scale = 2
network/connection/network_mode = 1
network/connection/check_for_updates = 0
asset_library/available_urls = {
"test": ${JSON.stringify(library)}
}
`
  writeFileSync(join(folder, 'editor_settings-3.tres'), settings)
}

function writeProject(folder: string, version: number[]) {
  const plugin = join(folder, 'addons/widget_reader')
  mkdirSync(plugin, { recursive: true })
  cpSync(join(import.meta.dirname, 'plugin'), plugin, { recursive: true })
  // From 3.3 on a plugin is named by its path, before by its folder.
  const by_path = compareVersions(version, [3, 3, 0]) >= 0
  const plugin_name = by_path ? 'res://addons/widget_reader/plugin.cfg' : 'widget_reader'
  const project = `config_version=4
[application]
config/name="Test"
[editor_plugins]
enabled=PoolStringArray( "${plugin_name}" )
[rendering]
quality/driver/driver_name="GLES2"
`
  writeFileSync(join(folder, 'project.godot'), project)
}

/** Starts Xvfb, which writes the number of the free display it has taken to the fourth stream. */
async function startDisplay() {
  const server = spawn(
    'Xvfb',
    ['-displayfd', '3', '-screen', '0', '1400x950x24', '-nolisten', 'tcp', '-ac'],
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] },
  )
  const [number] = await once(server.stdio[3]!, 'data')
  return { name: `:${String(number).trim()}`, stop: () => stopProcess(server) }
}

async function stopProcess(child: ChildProcess | undefined) {
  if (!child || child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}
