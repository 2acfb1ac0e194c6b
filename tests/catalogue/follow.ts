import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { TestContext } from 'node:test'
import { promisify } from 'node:util'
import { copyTree } from './copy.ts'
import { apply, type Block, blocksOf } from './guide.ts'

export const ROOT = resolve(import.meta.dirname, '../..')

export const blocksOfGuide = (name: string): readonly Block[] =>
  blocksOf(readFileSync(join(ROOT, `docs/guides/${name}.md`), 'utf8'))

export function temporary(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-guide-'))
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/**
 * Follows a page of the guides to the letter in a copy of the tree: makes its files and edits, and runs its commands. Answers
 * what each command printed; one that fails fails the test. `prepare` adds what the page does not show as blocks.
 */
export async function follow(
  context: TestContext,
  name: string,
  prepare: (copy: string) => void,
): Promise<readonly string[]> {
  const copy = temporary(context)
  copyTree(ROOT, copy)
  prepare(copy)
  // A server of its own: databases that the copy has migrated further would be handed to other tests.
  const { NODE_TEST_CONTEXT: _, FLEET_TEST_SEED: __, FLEET_TEST_DATABASE_URL: ___, ...env } = process.env
  const options = { cwd: copy, env: { ...env, HOME: copy }, signal: context.signal }
  const printed: string[] = []
  for (const block of blocksOfGuide(name)) {
    if (block.language !== 'sh') apply(copy, block)
    else
      for (const command of block.text.trim().split('\n')) {
        const ended = promisify(execFile)('sh', ['-c', command], options)
        // What the command printed says more than its status.
        const { stdout } = await ended.catch((error: unknown) =>
          assert.fail(`${command}\n${outputOf(error)}`),
        )
        printed.push(stdout)
      }
  }
  return printed
}

const outputOf = (error: unknown): string =>
  error instanceof Error && 'stdout' in error && 'stderr' in error
    ? `${String(error.stdout)}\n${String(error.stderr)}`
    : String(error)
