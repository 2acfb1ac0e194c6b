import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemIds } from '@fleet/kernel'
import { Refusal } from './refusal.ts'

const HOLDERS = '/run/fleet-gateway-console'

/**
 * Keeps a second console command out: both would own the same locks in the store. One that died holds nothing, because its
 * process is gone; one from before a reboot neither, because /run is empty then. Each has a file of its own here before it
 * looks for others, so that of two at the same time both may be refused and never both let in; and a name is never used
 * again, so that what a dead one left is removed and nothing else.
 */
export function takeConsole(
  folder: string = HOLDERS,
  isAlive: (holder: string) => boolean = isRunning,
): Disposable {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const own = `${holderOf(process.pid)} ${systemIds.uuid()}`
  const release = (): void => rmSync(join(folder, own), { force: true })
  writeFileSync(join(folder, own), '', { flag: 'wx', mode: 0o600 })
  try {
    for (const other of readdirSync(folder).filter((name) => name !== own)) {
      if (isAlive(other))
        throw new Refusal(`Another fleet-gateway command is running (process ${pidOf(other)}).`)
      rmSync(join(folder, other), { force: true })
    }
  } catch (error) {
    release()
    throw error
  }
  return { [Symbol.dispose]: release }
}

const pidOf = (holder: string): number => Number(holder.split(' ')[0])

const isRunning = (holder: string): boolean => {
  const running = holderOf(pidOf(holder))
  return running !== '' && holder.startsWith(`${running} `)
}

/** Process id and the time it began, since ids are used again; empty for one that is gone. */
function holderOf(pid: number): string {
  // The name of the program in brackets may hold spaces; what follows it does not.
  const started = read(`/proc/${pid}/stat`)
    ?.replace(/^.*\) /s, '')
    .split(' ')[19]
  return started === undefined ? '' : `${pid} ${started}`
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
