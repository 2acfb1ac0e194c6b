import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { NodeExecutable, NodeExecutables } from '@fleet/fleet'

export interface FakeExecutables extends NodeExecutables {
  /** How often its bytes were asked for. */
  readonly reads: () => number
}

export interface FakeExecutable {
  readonly program?: string
  readonly architecture?: string
  readonly version?: string
  /** What the release says of it, where that is not true. */
  readonly sha256?: string
}

/** A release with one small shell program as its executable; it ends well with any arguments. */
export function fakeExecutables(given: FakeExecutable = {}): FakeExecutables {
  const { program = '#!/bin/sh\nexit 0\n', architecture = process.arch === 'x64' ? 'x86_64' : 'aarch64' } =
    given
  let reads = 0
  const executable: NodeExecutable = {
    version: given.version ?? '1.0.0',
    sha256: given.sha256 ?? createHash('sha256').update(program).digest('hex'),
    read: () => {
      reads += 1
      return Promise.resolve(gzipSync(program))
    },
  }
  return {
    reads: () => reads,
    find: (asked) => Promise.resolve(asked === architecture ? executable : undefined),
  }
}
