import { readFileSync } from 'node:fs'

/** A statement with the page that it comes from. */
export interface Row {
  readonly statement: string
  readonly source: string
  /** The engine has nothing of that name, so its own error is the answer. */
  readonly isUnknown: boolean
  /** MySQL has no such statement. */
  readonly isOfMariadb: boolean
}

/** An engine with corpora. */
export type CorpusName = 'mariadb' | 'mariadb-11' | 'mysql' | 'postgres' | 'sqlite'

/**
 * What an engine is asked: MySQL also what MariaDB is, and a newer MariaDB all that an older one is. What the version of the
 * server lacks is unknown to it.
 */
export function corpusOf(name: CorpusName, kind: 'tricks' | 'reads', version?: number): readonly Row[] {
  const own = readCorpus(`${name}-${kind}`, version)
  if (name !== 'mysql' && name !== 'mariadb-11') return own
  const shared = readCorpus(`mariadb-${kind}`)
  return [...shared.filter((row) => name === 'mariadb-11' || !row.isOfMariadb), ...own]
}

/** Whether a version has what is marked `since 16` or `until 16`. */
function isOfVersion(marks: string, version: number | undefined): boolean {
  const [, side, bound] = /\b(since|until) (\d+)/.exec(marks) ?? []
  if (side === undefined || version === undefined) return true
  return side === 'since' ? version >= Number(bound) : version <= Number(bound)
}

/** The rows of a corpus: statement, source and marks, `\n` for a line break. */
function readCorpus(name: string, version?: number): readonly Row[] {
  const text = readFileSync(new URL(`corpora/${name}.tsv`, import.meta.url), 'utf8')
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('# ') && !line.startsWith('statement\tsource'))
    .map((line) => {
      const [statement = '', source = '', marks = ''] = line.split('\t')
      const isUnknown = marks.includes('unknown') || !isOfVersion(marks, version)
      const isOfMariadb = marks.includes('mariadb')
      return { statement: statement.replaceAll(String.raw`\n`, '\n'), source, isUnknown, isOfMariadb }
    })
}

/** The statements that set a corpus up, without the lines whose comment names other versions. */
export const readSetup = (name: CorpusName, version?: number): string =>
  (name === 'mariadb-11' ? readSetup('mariadb') : '') +
  readFileSync(new URL(`corpora/${name}-setup.sql`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => isOfVersion(/-- (.*)$/.exec(line)?.[1] ?? '', version))
    .join('\n')

/** What became of a statement: `answered`, or the code and reason of its failure. */
export async function outcome(run: () => Promise<unknown>): Promise<string> {
  try {
    await run()
    return 'answered'
  } catch (error) {
    const { code, details } = Object(error) as {
      code?: string
      details?: { reason?: string; condition?: string }
    } // as: members of any object may be absent.
    if (code === undefined) throw error
    return [code, details?.reason, details?.condition].filter((part) => part !== undefined).join(' ')
  }
}
