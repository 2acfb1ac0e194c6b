import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The temporary folder of a run. */
export interface Scratch extends Disposable {
  readonly folder: string
}

const MEMORY = '/dev/shm'
/** The server of a run makes a gigabyte of databases. */
const ROOM_BYTES = 4 * 1024 ** 3

/**
 * A folder for everything that the tests of a run write, removed with it. In memory, unless TMPDIR names a place or memory
 * has no room: waiting for a disk takes longer than most tests.
 */
export function openScratch(env: Readonly<Record<string, string | undefined>>, memory = MEMORY): Scratch {
  const given = env['TMPDIR']
  const inMemory = given === undefined || given === '' ? folderIn(memory) : undefined
  const folder = inMemory ?? mkdtempSync(join(tmpdir(), 'fleet-run-'))
  // Tests run programs of other users there, as in any temporary folder.
  chmodSync(folder, 0o1777)
  return { folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) }
}

function folderIn(memory: string): string | undefined {
  try {
    const { bavail, bsize } = statfsSync(memory)
    if (bavail * bsize < ROOM_BYTES) return undefined
    const folder = mkdtempSync(join(memory, 'fleet-run-'))
    if (runsPrograms(folder)) return folder
    rmSync(folder, { recursive: true })
    return undefined
  } catch {
    return undefined
  }
}

/** Containers often mount their memory so that nothing in it can be executed. */
function runsPrograms(folder: string): boolean {
  const program = join(folder, 'program')
  writeFileSync(program, '#!/bin/sh\nexit 0\n', { mode: 0o700 })
  const { status } = spawnSync(program)
  rmSync(program)
  return status === 0
}
