import { text } from 'node:stream/consumers'
import { copyDatabaseFile, CopyRefused, type CopyRequest } from './copy.ts'

/** `node-sqlite-copy`: reads a request from standard input and prints how the copy was made, or why there is none. */
export async function main(): Promise<number> {
  const request = requestOf(await text(process.stdin))
  if (!request) return 64
  const answer = await copyDatabaseFile(request).then(
    (mode) => ({ mode }),
    (error: unknown) => ({ problem: error instanceof CopyRefused ? error.problem : 'failed' }),
  )
  return new Promise((resolve) => {
    process.stdout.write(`${JSON.stringify(answer)}\n`, () => resolve(0))
  })
}

const MEMBERS = ['from', 'fromRoot', 'to', 'toRoot'] as const

function requestOf(input: string): CopyRequest | undefined {
  const given: unknown = JSON.parse(input)
  if (typeof given !== 'object' || given === null) return undefined
  const member = (name: string): unknown => Object.entries(given).find(([key]) => key === name)?.[1]
  const [from, fromRoot, to, toRoot] = MEMBERS.map(member)
  const isWhole =
    typeof from === 'string' &&
    typeof fromRoot === 'string' &&
    typeof to === 'string' &&
    typeof toRoot === 'string'
  return isWhole ? { from, fromRoot, to, toRoot } : undefined
}
