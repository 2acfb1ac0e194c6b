import type { Command } from '@fleet/shell'
import { type CommandResult, runLocally } from '@fleet/ssh'
import { Refusal } from './refusal.ts'

const ENVIRONMENT = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C',
  HOME: '/root',
} as const

const TIMEOUT_SECONDS = 120
const LAST_WORDS = 300

export interface ProgramOptions {
  readonly timeoutSeconds?: number
  readonly environment?: Readonly<Record<string, string>>
}

/** Runs a command on this machine; a failure is an answer. */
export const attempt = (command: Command, options: ProgramOptions = {}): Promise<CommandResult> =>
  runLocally(command, {
    cwd: '/',
    env: { ...ENVIRONMENT, ...options.environment },
    timeoutMilliseconds: (options.timeoutSeconds ?? TIMEOUT_SECONDS) * 1000,
  })

/** Runs a command on this machine and answers what it prints. Throws Refusal with its last words, which only the console shows. */
export async function must(command: Command, options: ProgramOptions = {}): Promise<string> {
  const { exitCode, stdout, stderr } = await attempt(command, options)
  if (exitCode === 0) return stdout.toString('utf8')
  const words = stderr.toString('utf8').trim().slice(-LAST_WORDS)
  throw new Refusal(`${command.shown} failed with status ${exitCode ?? 'a signal'}${words && `: ${words}`}`)
}

export const succeeds = async (command: Command): Promise<boolean> => (await attempt(command)).exitCode === 0

/** What runs programs, on this machine or for a test. */
export interface Programs {
  readonly attempt: typeof attempt
  readonly must: typeof must
}

export const systemPrograms: Programs = { attempt, must }
