import { type Answer, programOf, ROOT_FILES, textFile, type Word } from '@fleet/shell'
import { leafFile, type LeafFiles, PRINT_LEAVES, readLeafFiles } from '#/certificates/api.ts'
import { type NodeScript, type Question, readPrinted } from '#/nodes/api.ts'
import { SOURCE_PATHS } from '#/source-access/api.ts'
import { type LiveSites, PRINT_SITES, readLiveSites } from '#/web-server/api.ts'

/** An application directory of a checkout; empty for the root. */
export interface ViewedApplication {
  readonly checkoutPath: string
  readonly directory: string
}

/** No path has a NUL. */
export const applicationKey = ({ checkoutPath, directory }: ViewedApplication): string =>
  `${checkoutPath}\0${directory}`

/** What a Node is asked about its Routes. */
export interface Viewed {
  /** Root folder of the machine; empty but in tests. */
  readonly root: string
  /** Scopes of leaves. */
  readonly leaves: readonly string[]
  readonly domains: readonly string[]
  /** Absolute paths of web roots in checkouts. */
  readonly webRoots: readonly string[]
  readonly applications: readonly ViewedApplication[]
}

/** What a Node serves, and which addresses it gets. */
export interface ServingView {
  readonly live: LiveSites
  readonly leaves: LeafFiles
  /** First address that the Node resolves, by domain. */
  readonly answers: ReadonlyMap<string, string>
  /** How many symbolic links are in each web root, of those that Caddy must not follow. */
  readonly links: ReadonlyMap<string, number>
  /** `APP_URL` of each application that has one, without quotes, by `applicationKey`: a check may be made anew after the answer. */
  readonly urls: ReadonlyMap<string, string>
}

const wordsOf = ({ root, leaves, domains, webRoots, applications }: Viewed): readonly Word[] => [
  root,
  leaves.length,
  ...leaves.map((scope) => `${root}${leafFile(scope)}`),
  domains.length,
  ...domains,
  webRoots.length,
  ...webRoots,
  ...applications.flatMap(({ checkoutPath, directory }) => [checkoutPath, directory]),
]

const LIBRARY = [ROOT_FILES, PRINT_SITES, PRINT_LEAVES, SOURCE_PATHS]
const PROGRAM = textFile('view.sh', import.meta.url)

/** The same question for a Node that is not the examined one. */
export const viewScript: NodeScript<Viewed, ServingView> = {
  source: programOf(PROGRAM, ...LIBRARY),
  args: wordsOf,
  timeoutSeconds: 30,
  maxOutputBytes: 4 * 1024 * 1024,
  reasons: {},
  broken: 'node.command_failed',
  read: (answer, viewed) => readView(answer, viewed),
}

export const viewQuestion = (viewed: Viewed): Question<ServingView> => ({
  source: [...LIBRARY, PROGRAM].join('\n'),
  args: wordsOf(viewed),
  read: (printed) => readPrinted(printed, (answer) => readView(answer, viewed)),
})

function readView(answer: Answer, { webRoots, applications }: Viewed): ServingView {
  answer.word('end', ['yes'])
  return {
    live: readLiveSites(answer),
    leaves: readLeafFiles(answer),
    answers: addressesIn(answer.text('answers')),
    links: new Map(
      webRoots.map((path, at) => [path, Number.parseInt(answer.text(`links.${at}`), 10) || 0] as const),
    ),
    urls: new Map(
      applications.flatMap((application, at) => {
        const text = answer.text(`url.${at}`)
        return text.startsWith('=') ? [[applicationKey(application), unquoted(text.slice(1))] as const] : []
      }),
    ),
  }
}

/** The first line of a name has the name behind its address. */
function addressesIn(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const line of text.split('\n')) {
    const [, address, name] = /^(\d{1,3}(?:\.\d{1,3}){3})\s+\S+\s+(\S+)$/.exec(line) ?? []
    if (address !== undefined && name !== undefined && !found.has(name)) found.set(name, address)
  }
  return found
}

const unquoted = (text: string): string => /^(["'])(.*)\1$/.exec(text)?.[2] ?? text
