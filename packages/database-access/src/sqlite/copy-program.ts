import { text } from 'node:stream/consumers'
import { copyDatabaseFile, type CopyRequest, dropDatabaseFile } from './copy.ts'
import { FileRefused } from './file-problem.ts'
import { dropLeft, SNAPSHOTS } from './left.ts'

type Request = Pick<CopyRequest, 'to' | 'toRoot'> & Partial<CopyRequest>

/**
 * `node-sqlite-copy`: reads a request from standard input and prints how the copy was made, or why there is none. A request without a
 * source removes the copy.
 */
export async function main(): Promise<number> {
  const request = requestOf(await text(process.stdin))
  if (!request) return 64
  await dropLeft(SNAPSHOTS)
  const answer = await perform(request).catch((error: unknown) => ({
    problem: error instanceof FileRefused ? error.problem : 'failed',
  }))
  return new Promise((resolve) => {
    process.stdout.write(`${JSON.stringify(answer)}\n`, () => resolve(0))
  })
}

async function perform({ from, fromRoot, ...copy }: Request): Promise<{ readonly mode: string }> {
  if (from !== undefined && fromRoot !== undefined)
    return { mode: await copyDatabaseFile({ from, fromRoot, ...copy }) }
  await dropDatabaseFile(copy)
  return { mode: 'dropped' }
}

function requestOf(input: string): Request | undefined {
  const given: unknown = JSON.parse(input)
  if (typeof given !== 'object' || given === null) return undefined
  const texts = new Map(
    Object.entries(given).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
  const [from, fromRoot, to, toRoot] = ['from', 'fromRoot', 'to', 'toRoot'].map((name) => texts.get(name))
  if (to === undefined || toRoot === undefined || (from === undefined) !== (fromRoot === undefined))
    return undefined
  return { to, toRoot, ...(from === undefined || fromRoot === undefined ? {} : { from, fromRoot }) }
}
