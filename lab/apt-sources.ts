import { globSync, readFileSync } from 'node:fs'
import { LabFault } from './program.ts'

/** Where this machine gets its Debian from; the hosts get theirs from the same place. */
export interface AptSource {
  readonly mirror: string
  readonly suite: string
  readonly keyring: string
  /** The machine's own source text, for the hosts. */
  readonly text: string
  /** `sources` for deb822, `list` for lines. */
  readonly format: 'sources' | 'list'
}

const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg'

/** Releases that hosts may have besides that of this machine. */
export const suites = ['bookworm', 'trixie'] as const
export type Suite = (typeof suites)[number]

/** The source that serves the main component of this machine's release. Throws LabFault when there is none. */
export function machineSource(files: readonly string[] = aptFiles()): AptSource {
  const suite = /^VERSION_CODENAME=(\w+)$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? ''
  for (const file of files) {
    const text = readFileSync(file, 'utf8')
    const found = file.endsWith('.sources') ? ofStanzas(text, suite) : ofLines(text, suite)
    if (found) return { ...found, suite, text }
  }
  throw new LabFault(
    `no apt source of this machine serves Debian "${suite}" main, so there is nothing to build hosts from`,
  )
}

/** The same mirrors with another release; they serve every one that is supported. */
export const ofSuite = (source: AptSource, suite: string): AptSource => ({
  ...source,
  suite,
  keyring: suite === source.suite ? source.keyring : KEYRING,
  text: source.text.replaceAll(new RegExp(`\\b${source.suite}\\b`, 'g'), suite),
})

type Found = Pick<AptSource, 'mirror' | 'keyring' | 'format'>

const aptFiles = (): readonly string[] => [
  ...globSync('/etc/apt/sources.list.d/*.sources'),
  ...globSync('/etc/apt/sources.list.d/*.list'),
  ...globSync('/etc/apt/sources.list'),
]

/** deb822, one stanza per paragraph (sources.list(5)). */
export function ofStanzas(text: string, suite: string): Found | undefined {
  for (const stanza of text.split(/\n\s*\n/)) {
    const field = (name: string): readonly string[] =>
      new RegExp(`^${name}:[ \\t]*(.*)$`, 'mi').exec(stanza)?.[1]?.trim().split(/\s+/) ?? []
    const [mirror] = field('URIs')
    const serves =
      field('Types').includes('deb') &&
      field('Suites').includes(suite) &&
      field('Components').includes('main')
    if (serves && mirror !== undefined)
      return {
        mirror,
        keyring: field('Signed-By').find((path) => path.startsWith('/')) ?? KEYRING,
        format: 'sources',
      }
  }
  return undefined
}

/** One source per line: `deb [signed-by=…] mirror suite components…`. */
export function ofLines(text: string, suite: string): Found | undefined {
  for (const line of text.split('\n')) {
    const [, options = '', mirror, name, components = ''] =
      /^deb\s+(?:\[([^\]]*)\]\s+)?(\S+)\s+(\S+)\s+(.*)$/.exec(line.trim()) ?? []
    if (mirror !== undefined && name === suite && components.split(/\s+/).includes('main'))
      return { mirror, keyring: /signed-by=(\S+)/.exec(options)?.[1] ?? KEYRING, format: 'list' }
  }
  return undefined
}
