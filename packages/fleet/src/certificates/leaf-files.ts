import { judgeLeaf } from '@fleet/pki'
import { type Answer, textFile } from '@fleet/shell'
import type { PublishedLeaf } from '#/certificates/certificates.ts'
import { SAID } from '#/certificates/checks.ts'
import { leafFile } from '#/certificates/leaf.ts'
import type { Finding } from '#/nodes/api.ts'

/** Defines `print_leaves FILE…`, whose fields `readLeafFiles` reads. */
export const PRINT_LEAVES = textFile('commands/leaf-files.sh', import.meta.url)

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

/** What Doctor reports of the file of a leaf; undefined when it is as it was published. */
export function judgeLeafFile(
  files: LeafFiles,
  { scope, names, addresses, owner = 'root' }: PublishedLeaf,
  { root, now, folder = '' }: { readonly root: string; readonly now: Date; readonly folder?: string },
): Finding | undefined {
  const file = files.get(`${folder}${leafFile(scope)}`)
  if (!file) return { expected: SAID.good, observed: 'none' }
  if (!file.hasKey || file.owner !== `600 ${owner}`) return { expected: SAID.good, observed: 'unreadable' }
  const { verdict } = judgeLeaf(file.certificate, { root, now, names, addresses })
  return verdict === 'good' ? undefined : { expected: SAID.good, observed: SAID[verdict] }
}
