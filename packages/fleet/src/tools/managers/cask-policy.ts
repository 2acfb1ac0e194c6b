import { MalformedOutput } from '@fleet/shell'
import * as z from 'zod'
import { plainText, readJson } from '#/tools/managers/json.ts'
import type { PackageState } from '#/tools/managers/manager.ts'
import type { Refused } from '#/tools/managers/refused.ts'

const cask = z.object({
  token: z.string(),
  tap: z.string().nullable(),
  version: z.unknown(),
  url: z.unknown(),
  sha256: z.unknown(),
  disabled: z.boolean().default(false),
  artifacts: z.array(z.record(z.string(), z.unknown())).default([]),
})
export type Cask = z.output<typeof cask>

const members = z.record(z.string(), z.unknown())
const varied = z.looseObject({ variations: z.record(z.string(), members).default({}) })
const info = z.object({ casks: z.array(varied) })

/** The casks in what `brew info --json=v2 --cask` prints, each as it is for this machine. Throws MalformedOutput. */
export const readCasks = (printed: string, tag: string | undefined): readonly Cask[] =>
  readJson(printed, info).casks.map(({ variations, ...common }) => {
    const own = tag !== undefined && Object.hasOwn(variations, tag) ? variations[tag] : {}
    const read = cask.safeParse({ ...common, ...own })
    if (!read.success) throw new MalformedOutput('not a cask')
    return read.data
  })

/** Where the artifacts of a cask may go without an administrator. */
export interface CaskPlaces {
  readonly home: string
  readonly prefix: string
}

/** What goes into the home of the user or into the prefix by itself. */
const OWN: ReadonlySet<string> = new Set([
  'audio_unit_plugin',
  'bash_completion',
  'binary',
  'colorpicker',
  'dictionary',
  'fish_completion',
  'font',
  'input_method',
  'internet_plugin',
  'manpage',
  'mdimporter',
  'prefpane',
  'qlplugin',
  'screen_saver',
  'service',
  'vst3_plugin',
  'vst_plugin',
  'zsh_completion',
])
/** Goes to `/Applications`, or asks for a password. */
const PRIVILEGED: ReadonlySet<string> = new Set(['app', 'keyboard_layout', 'pkg', 'suite'])
const SYSTEM_UNINSTALLS: ReadonlySet<string> = new Set(['kext', 'launchctl', 'pkgutil'])
const HARMLESS_UNINSTALLS: ReadonlySet<string> = new Set(['login_item', 'on_upgrade', 'quit', 'signal'])
const PATH_UNINSTALLS: ReadonlySet<string> = new Set(['delete', 'rmdir', 'trash'])

/** Why no command of Fleet may touch the cask, removal included (TLX-031, TLX-032). */
export function unsafeArtifact({ artifacts }: Cask, places: CaskPlaces): Refused | undefined {
  const found = artifacts.flatMap((artifact) => blocksOf(artifact, places))
  if (found.includes('unsupported_artifact')) return 'unsupported_artifact'
  return found[0]
}

function blocksOf(artifact: Readonly<Record<string, unknown>>, places: CaskPlaces): readonly Refused[] {
  const target = artifact['target']
  return Object.entries(artifact).flatMap(([kind, value]): readonly Refused[] => {
    // Fleet never runs a zap stanza.
    if (kind === 'target' || kind === 'zap') return []
    if (kind === 'uninstall') return uninstallBlocks(value, places)
    const isOwnTarget = typeof target === 'string' && isOwnPath(target, places)
    if (kind === 'artifact') return isOwnTarget ? [] : ['authorization_required']
    if (OWN.has(kind)) return target === undefined || isOwnTarget ? [] : ['authorization_required']
    if (PRIVILEGED.has(kind)) return kind !== 'pkg' && isOwnTarget ? [] : ['authorization_required']
    return ['unsupported_artifact']
  })
}

function uninstallBlocks(value: unknown, places: CaskPlaces): readonly Refused[] {
  const stanzas = Array.isArray(value) ? value : [value]
  return stanzas.flatMap((stanza: unknown): readonly Refused[] => {
    if (typeof stanza !== 'object' || stanza === null) return ['unsupported_artifact']
    return Object.entries(stanza).flatMap(([kind, what]): readonly Refused[] => {
      if (HARMLESS_UNINSTALLS.has(kind)) return []
      if (SYSTEM_UNINSTALLS.has(kind)) return ['authorization_required']
      if (!PATH_UNINSTALLS.has(kind)) return ['unsupported_artifact']
      const paths: readonly unknown[] = Array.isArray(what) ? what : [what]
      const areOwn = paths.every((path) => typeof path === 'string' && isOwnPath(path, places))
      return areOwn ? [] : ['authorization_required']
    })
  })
}

/** A cask that comes from the API of Homebrew has its names for both places; `$APPDIR` is `/Applications`. */
function isOwnPath(path: string, { home, prefix }: CaskPlaces): boolean {
  const absolute = path
    .replace(/^(?:~|\/?\$HOME)(?=\/)/, () => home)
    .replace(/^\$HOMEBREW_PREFIX(?=\/)/, () => prefix)
  if (absolute.split('/').includes('..')) return false
  return [home, prefix].some((place) => place !== '' && absolute.startsWith(`${place}/`))
}

const DIGEST = /^[0-9a-f]{64}$/

/** Everything that keeps a cask from being installed or adopted, in its order (TLX-030). */
export function caskBlock(one: Cask, places: CaskPlaces): Refused | undefined {
  if (one.tap !== 'homebrew/cask') return 'unsupported_source'
  if (one.disabled) return 'unsupported_artifact'
  const unsafe = unsafeArtifact(one, places)
  if (unsafe) return unsafe
  const isOfficial = typeof one.url === 'string' && one.url.startsWith('https://')
  if (!isOfficial || typeof one.sha256 !== 'string' || !DIGEST.test(one.sha256)) return 'unsupported_source'
  return versionOf(one) === undefined ? 'version_unreadable' : undefined
}

/** A cask of the version `latest` is never the same twice. */
function versionOf({ version }: Cask): string | undefined {
  const read = plainText.safeParse(version)
  return read.success && read.data !== 'latest' ? read.data : undefined
}

/** The state of a cask by its metadata and what `brew list --versions --cask` prints. */
export function caskState(
  { printed, versions }: { readonly printed: string; readonly versions: string },
  token: string,
  { tag, ...places }: CaskPlaces & { readonly tag: string | undefined },
): PackageState & { readonly isSafeToRemove: boolean } {
  const installed = installedCask(versions, token)
  const isPresent = installed !== undefined
  const found = printed === '' ? undefined : readCasks(printed, tag).find((one) => one.token === token)
  if (!found)
    return {
      installed,
      isPresent,
      candidate: undefined,
      block: isPresent ? 'unsupported_source' : undefined,
      isSafeToRemove: true,
    }
  const block = caskBlock(found, places)
  return {
    installed,
    isPresent,
    candidate: block === undefined ? versionOf(found) : undefined,
    refused: block,
    block: isPresent ? block : undefined,
    isSafeToRemove: unsafeArtifact(found, places) === undefined,
  }
}

/** In `font-inter 4.1`; several versions stand after each other, the newest last. */
function installedCask(printed: string, token: string): string | undefined {
  const line = printed.split('\n').find((one) => one.startsWith(`${token} `))
  return line?.split(' ').at(-1)
}
