import { type Answer, textFile } from '@fleet/shell'

/** Defines `print_leaves FILE…`, whose fields `readLeafFiles` reads. */
export const PRINT_LEAVES = textFile('leaf-files.sh', import.meta.url)

/** A leaf as its Node has it. */
export interface LeafFileState {
  /** Mode and account. */
  readonly owner: string
  readonly hasKey: boolean
  readonly certificate: string
}

/** By path. */
export type LeafFiles = ReadonlyMap<string, LeafFileState>

/** Throws MalformedOutput. */
export function readLeafFiles(answer: Answer): LeafFiles {
  const owners = new Map(
    lines(answer.text('owners')).flatMap((line) => {
      const [, owner, path] = /^(\d+ \S+) (.+)$/.exec(line) ?? []
      return owner === undefined || path === undefined ? [] : [[path, owner] as const]
    }),
  )
  return new Map(
    answer
      .text('leaves')
      .split(/^= /m)
      .flatMap((part) => {
        const [path = '', ...text] = lines(part)
        const owner = owners.get(path)
        if (owner === undefined) return []
        const certificate = text.filter((line) => line !== 'key').join('\n')
        return [[path, { owner, hasKey: text.includes('key'), certificate }] as const]
      }),
  )
}

const lines = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '')
