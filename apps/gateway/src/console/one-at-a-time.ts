import { readFileSync, rmSync } from 'node:fs'
import { systemIds } from '@fleet/kernel'
import { makeFile } from '@fleet/pki'
import { Refusal } from './refusal.ts'

const LOCK = '/run/fleet-gateway-console.lock'

/**
 * Keeps a second console command out: both would own the same locks in the store. One that died holds nothing, because its
 * process is gone; one from before a reboot neither, because /run is empty then.
 */
export function takeConsole(path: string = LOCK): Disposable {
  const own = `${holderOf(process.pid)} ${systemIds.uuid()}`
  for (let tries = 0; tries < 3; tries += 1) {
    makeFile(path, own, 0o600)
    const holder = read(path)
    if (holder === own) return { [Symbol.dispose]: () => rmSync(path, { force: true }) }
    if (holder !== undefined) requireGone(holder)
    rmSync(path, { force: true })
  }
  throw new Refusal(`${path} cannot be locked`)
}

/** Throws Refusal for a holder whose process lives. */
function requireGone(holder: string): void {
  const [pid = '', started = ''] = holder.split(' ')
  if (holderOf(Number(pid)) === `${pid} ${started}`)
    throw new Refusal(`Another fleet-gateway command is running (process ${pid}).`)
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
