import type { Secret } from '@fleet/kernel'
import { programOf, ROOT_FILES, textFile, type Word } from '@fleet/shell'
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
  /** The unit is not reloaded yet. */
  readonly isLoadedLater: boolean
}

export interface LeafFile {
  /** The certificate, without its key. */
  readonly certificate: string
  /** It is as it was written, and its reader has read it since. */
  readonly isSound: boolean
}

const LIBRARIES = [ROOT_FILES, textFile('leaf.sh', import.meta.url)] as const

const reasons: Reasons = {
  owner_missing: 'certificate.owner_missing',
  write_failed: 'certificate.publication_failed',
  reload_failed: 'certificate.reload_failed',
}

const common = { timeoutSeconds: 90, reasons, broken: 'certificate.publication_failed' } as const

const words = ({ root, directory, file, owner, unit }: LeafPlace): readonly Word[] => [
  `${root}${directory}`,
  file,
  owner,
  unit,
]

export const inspectLeaf: NodeScript<LeafPlace, LeafFile> = {
  ...common,
  source: programOf(textFile('inspect-leaf.sh', import.meta.url), ...LIBRARIES),
  args: words,
  read: (answer) => ({
    certificate: answer.text('certificate'),
    isSound: answer.word('state', ['sound', 'unsound']) === 'sound',
  }),
}

/** Puts key and certificate in place as one file, then reloads, unless that comes later. */
export const writeLeaf: NodeScript<{ readonly place: LeafPlace; readonly pair: Secret }, void> = {
  ...common,
  source: programOf(textFile('write-leaf.sh', import.meta.url), ...LIBRARIES),
  args: ({ place, pair }) => [
    ...words(place),
    Buffer.byteLength(pair.reveal()),
    place.isLoadedLater ? 'later' : 'now',
  ],
  stdin: ({ pair }) => pair,
  read: confirmed('published'),
}

export const removeLeaf: NodeScript<LeafPlace, void> = {
  ...common,
  source: programOf(textFile('remove-leaf.sh', import.meta.url), ...LIBRARIES),
  args: words,
  read: confirmed('withdrawn'),
}

/** Tells the reader of leaves of them, unless it has loaded them already. */
export const loadLeaves: NodeScript<{ readonly unit: string; readonly places: readonly LeafPlace[] }, void> =
  {
    ...common,
    source: programOf(textFile('load-leaves.sh', import.meta.url), ROOT_FILES),
    args: ({ unit, places }) => [
      unit,
      ...places.map(({ root, directory, file }) => `${root}${directory}/${file}`),
    ],
    shown: ({ unit, places }) => [unit, places.length],
    read: confirmed('loaded'),
  }
