import { Secret } from '@fleet/kernel'
import { programOf, ROOT_FILES, textFile } from '@fleet/shell'
import { type LeafFiles, PRINT_LEAVES, readLeafFiles } from '#/certificates/commands/leaf-files.ts'
import { confirmed, type NodeScript, type Reasons } from '#/nodes/api.ts'

/** Path of one leaf on a machine and who reads it. */
export interface LeafPlace {
  /** Root folder of the machine; empty but in tests. */
  readonly root: string
  readonly directory: string
  readonly file: string
  readonly owner: string
  /** Unit to reload; empty for none. */
  readonly unit: string
}

const reasons: Reasons = {
  owner_missing: 'certificate.owner_missing',
  write_failed: 'certificate.publication_failed',
  reload_failed: 'certificate.reload_failed',
}

const common = { timeoutSeconds: 90, reasons, broken: 'certificate.publication_failed' } as const

export const leafPath = ({ root, directory, file }: LeafPlace): string => `${root}${directory}/${file}`

/** By their paths. */
export const inspectLeaves: NodeScript<readonly LeafPlace[], LeafFiles> = {
  ...common,
  source: programOf(textFile('inspect-leaves.sh', import.meta.url), ROOT_FILES, PRINT_LEAVES),
  args: (places) => places.map(leafPath),
  shown: (places) => [places.length],
  read: readLeafFiles,
}

export interface WrittenLeaf {
  readonly place: LeafPlace
  /** Key and certificate. */
  readonly pair: Secret
  /** The unit is not reloaded yet. */
  readonly isLoadedLater: boolean
}

/** Puts key and certificate of each in place as one file, then reloads its unit, unless that comes later. */
export const writeLeaves: NodeScript<readonly WrittenLeaf[], void> = {
  ...common,
  source: programOf(textFile('write-leaves.sh', import.meta.url), ROOT_FILES),
  args: (leaves) =>
    leaves.flatMap(({ place: { root, directory, file, owner, unit }, pair, isLoadedLater }) => [
      `${root}${directory}`,
      file,
      owner,
      unit,
      isLoadedLater ? 'later' : 'now',
      Buffer.byteLength(pair.reveal()),
    ]),
  shown: (leaves) => [leaves.length],
  stdin: (leaves) => new Secret(leaves.map(({ pair }) => pair.reveal()).join('')),
  read: confirmed('published'),
}

export const removeLeaf: NodeScript<LeafPlace, void> = {
  ...common,
  source: programOf(textFile('remove-leaf.sh', import.meta.url), ROOT_FILES),
  args: ({ root, directory, file }) => [`${root}${directory}`, file],
  read: confirmed('withdrawn'),
}

/** Tells the reader of leaves of them, unless it has loaded them already. */
export const loadLeaves: NodeScript<{ readonly unit: string; readonly places: readonly LeafPlace[] }, void> =
  {
    ...common,
    source: programOf(textFile('load-leaves.sh', import.meta.url), ROOT_FILES),
    args: ({ unit, places }) => [unit, ...places.map(leafPath)],
    shown: ({ unit, places }) => [unit, places.length],
    read: confirmed('loaded'),
  }
