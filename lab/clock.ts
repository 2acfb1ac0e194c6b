import { globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { runInside } from './inside.ts'
import type { HostPlace } from './place.ts'
import { LabFault } from './program.ts'

const SESSIONS = 'etc/ssh/sshd_config.d/lab-clock.conf'
const SUDO = 'etc/sudoers.d/lab-clock'
const SUDO_ENVIRONMENT = 'etc/lab-clock'

/**
 * Moves the clock of a host by seconds, forwards or back. The kernel has one wall clock for all hosts, so each program
 * is reported another time by libfaketime: those of SSH sessions, through sudo too, and services started from now on.
 * Not moved: process 1 and systemd's own programs, programs without libc (Go), file times that the kernel sets itself.
 */
export async function moveClock(host: HostPlace, seconds: number): Promise<void> {
  const variables = [
    `LD_PRELOAD=${libraryOf(host)}`,
    `FAKETIME=${seconds < 0 ? '' : '+'}${seconds}`,
    // Only the time of day: waiting takes as long as before.
    'FAKETIME_DONT_FAKE_MONOTONIC=1',
    // They wait in ways that the library breaks.
    `FAKETIME_SKIP_CMDS=${['sshd', ...systemPrograms(host)].join(',')}`,
  ] as const
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(join(host.root, file)), { recursive: true })
    writeFileSync(join(host.root, file), text, { mode: 0o440 })
  }
  write(SESSIONS, `SetEnv ${variables.join(' ')}\n`)
  write(SUDO_ENVIRONMENT, `${variables.join('\n')}\n`)
  write(SUDO, `Defaults env_file=/${SUDO_ENVIRONMENT}\n`)
  // sshd refuses all system calls but a few before a login, and the library needs more.
  await setDropIn(host, `[Service]\nUnsetEnvironment=${variables.map(nameOf).join(' ')}\n`)
  await runInside(host, ['systemctl', 'set-environment', ...variables])
  await runInside(host, ['systemctl', 'restart', 'ssh'])
}

/** Gives the host the machine's time again. */
export async function resetClock(host: HostPlace): Promise<void> {
  for (const file of [SESSIONS, SUDO, SUDO_ENVIRONMENT]) rmSync(join(host.root, file), { force: true })
  await runInside(host, [
    'systemctl',
    'unset-environment',
    'LD_PRELOAD',
    'FAKETIME',
    'FAKETIME_DONT_FAKE_MONOTONIC',
    'FAKETIME_SKIP_CMDS',
  ])
  await runInside(host, ['systemctl', 'restart', 'ssh'])
}

const nameOf = (variable: string): string => variable.slice(0, variable.indexOf('='))

function libraryOf({ root, name }: HostPlace): string {
  const [found] = globSync('usr/lib/*/faketime/libfaketime.so.1', { cwd: root })
  if (found === undefined) throw new LabFault(`${name} has no libfaketime, so its clock cannot be moved`)
  return `/${found}`
}

const OWN_PROGRAMS = [
  'usr/lib/systemd/systemd',
  'usr/lib/systemd/systemd-*',
  'usr/bin/systemd-*',
  'usr/bin/*ctl',
]

const systemPrograms = ({ root }: HostPlace): readonly string[] => [
  ...new Set(globSync(OWN_PROGRAMS, { cwd: root }).map((path) => basename(path))),
]

// Below /run, which is the host's own memory: written from within, gone after a restart like the variables it undoes.
async function setDropIn(host: HostPlace, text: string): Promise<void> {
  const folder = '/run/systemd/system/ssh.service.d'
  await runInside(host, ['mkdir', '-p', folder])
  await runInside(host, ['tee', `${folder}/lab-clock.conf`], { input: text })
  await runInside(host, ['systemctl', 'daemon-reload'])
}
