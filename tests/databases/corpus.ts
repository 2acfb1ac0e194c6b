import { readFileSync } from 'node:fs'

/** A statement with the page that it comes from. */
export interface Row {
  readonly statement: string
  readonly source: string
  /** The engine has nothing of that name, so its own error is the answer. */
  readonly isUnknown: boolean
}

/** The rows of a corpus: statement and source, `\n` for a line break. */
export function readCorpus(name: string): readonly Row[] {
  const text = readFileSync(new URL(`corpora/${name}.tsv`, import.meta.url), 'utf8')
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('# ') && !line.startsWith('statement\tsource'))
    .map((line) => {
      const [statement = '', source = '', mark] = line.split('\t')
      return { statement: statement.replaceAll(String.raw`\n`, '\n'), source, isUnknown: mark === 'unknown' }
    })
}

/** The statements that set a corpus up. */
export const readSetup = (name: string): string =>
  readFileSync(new URL(`corpora/${name}-setup.sql`, import.meta.url), 'utf8')

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
