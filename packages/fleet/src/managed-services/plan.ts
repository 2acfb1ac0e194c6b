import { createHash } from 'node:crypto'
import { Secret } from '@fleet/kernel'
import { EXECUTABLE_FILE } from '#/managed-services/executable/scripts.ts'
import type {
  HookMoment,
  ServicePlaces,
  RenderedRelease,
  ServiceFile,
} from '#/managed-services/declaration.ts'

export const UNIT_DIRECTORY = '/etc/systemd/system'

export const fileKey = (at: number): string => `file.${at}`
export const linkKey = (at: number): string => `link.${at}`
export const unitKey = (at: number): string => `unit.${at}`

export const sha256 = (content: string | Secret): string =>
  createHash('sha256').update(textOf(content)).digest('hex')

export const textOf = (content: string | Secret): string =>
  content instanceof Secret ? content.reveal() : content

/** Files of the declaration, then those of its own units. */
export const plannedFiles = ({ files = [], units }: ServicePlaces): readonly ServiceFile[] => [
  ...files,
  ...units.flatMap(({ name, file }) =>
    file === 'own' ? [{ path: `${UNIT_DIRECTORY}/${name}`, mode: '644' }] : [],
  ),
]

export type UnitAction = 'restart' | 'reload' | 'start' | 'settle' | 'none'

/** What is sent with a declaration; nothing of it for an inspection or a removal. */
export interface Writes {
  /** By path. */
  readonly files: ReadonlyMap<string, string | Secret>
  readonly links: ReadonlyMap<string, string>
  readonly release: RenderedRelease | undefined
  /** By name. */
  readonly actions: ReadonlyMap<string, UnitAction>
  /** Which a `reported` process is to begin with. */
  readonly digest: string | undefined
}

export const NO_WRITES: Writes = {
  files: new Map(),
  links: new Map(),
  release: undefined,
  actions: new Map(),
  digest: undefined,
}

type Line = readonly [verb: string, ...words: ReadonlyArray<string | number>]

/** Standard input of the scripts: the plan, then the contents that it announces, in its order. */
export function renderPlan(
  service: ServicePlaces,
  writes: Writes,
  moments: readonly HookMoment[] = [],
): Secret {
  const contents: string[] = []
  const lines = planLines(service, writes, moments, (content) => {
    contents.push(content)
    return Buffer.byteLength(content)
  })
  return new Secret([lines, 'end\n', ...contents].join(''))
}

/** The plan alone; `sized` is given each content that it announces and says how many bytes it has. */
export const planLines = (
  service: ServicePlaces,
  writes: Writes,
  moments: readonly HookMoment[] = [],
  sized: Sized = Buffer.byteLength,
): string =>
  [
    ...hookLines(service, moments, sized),
    ...placeLines(service),
    ...releaseLines(service, writes, sized),
    ...fileLines(service, writes, sized),
    ...unitLines(service, writes),
  ]
    .map(lineText)
    .join('')

function lineText(words: Line): string {
  const texts = words.map((word) => (word === '' ? '-' : String(word)))
  if (texts.some((text) => /[\t\n\0]/.test(text))) throw new Error('a word of a plan holds no tab or newline')
  return `${texts.join('\t')}\n`
}

type Sized = (content: string) => number

const hookLines = ({ hooks }: ServicePlaces, moments: readonly HookMoment[], sized: Sized): readonly Line[] =>
  moments.flatMap((moment): readonly Line[] => {
    const hook = hooks?.[moment]
    return hook ? [['hook', moment, sized(hook.source), hook.argument ?? '']] : []
  })

const placeLines = ({
  account,
  folders = [],
  lock,
  files = [],
  links = [],
  removal,
}: ServicePlaces): readonly Line[] => [
  ...(account === undefined ? [] : [['account', account] as const]),
  ...folders.map(({ path, mode, group = '', keeping }): Line => ['folder', mode, group, keeping, path]),
  ...(lock ? [['lock', lock.path, lock.seconds, lock.isPrivate ? 'private' : 'shared'] as const] : []),
  ...[...files, ...links].flatMap(({ path, backup }): readonly Line[] =>
    backup ? [['backup', backup.folder, backup.marker, path]] : [],
  ),
  ...(removal?.paths ?? []).map((path): Line => ['path', path]),
]

function releaseLines({ release }: ServicePlaces, writes: Writes, sized: Sized): readonly Line[] {
  if (!release) return []
  if (!writes.release) return [['release', release.folder]]
  const { id, files, program } = writes.release
  return [
    ['release', release.folder, id, release.keep],
    ['piece', '644', sized(manifestOf(writes.release)), '.manifest'],
    ...Object.entries(files).map(([name, text]): Line => ['piece', '644', sized(text), name]),
    ...(program === undefined ? [] : [['program', EXECUTABLE_FILE, program.name] as const]),
  ]
}

/** Lines of sha256sum over all files of a release, its program first. */
export const manifestOf = ({ files, program }: RenderedRelease): string =>
  [
    ...(program === undefined ? [] : [`${program.sha256}  ${program.name}\n`]),
    ...Object.entries(files).map(([name, text]) => `${sha256(text)}  ${name}\n`),
  ].join('')

const fileLines = (service: ServicePlaces, { files, links }: Writes, sized: Sized): readonly Line[] => [
  ...plannedFiles(service).map(({ path, mode, owner = '', group = '' }, at): Line => {
    const content = files.get(path)
    const size = content === undefined ? '' : sized(textOf(content))
    return ['file', fileKey(at), mode, owner, group, size, path]
  }),
  ...(service.links ?? []).map(({ path }, at): Line => ['link', linkKey(at), path, links.get(path) ?? '']),
]

const unitLines = ({ units, ready }: ServicePlaces, { actions, files, digest }: Writes): readonly Line[] => [
  ...units.map(({ name, file, isEnabled }, at): Line => {
    const isWritten = files.has(`${UNIT_DIRECTORY}/${name}`)
    const enabled = isEnabled ? 'enabled' : 'plain'
    return ['unit', unitKey(at), name, actions.get(name) ?? 'none', enabled, isWritten ? 'written' : file]
  }),
  ...units.flatMap(({ name, onChange }): readonly Line[] => (onChange === 'none' ? [] : [['watched', name]])),
  ready.kind === 'reported'
    ? ['ready', 'reported', ready.unit, ready.file, digest ?? '', ready.seconds]
    : ['ready', 'active', '', '', '', ready.seconds],
]
