import { timingSafeEqual } from 'node:crypto'
import { guarded } from '@fleet/kernel'
import { serveSocket, serveTcp } from './forwarding.ts'
import ssh2, {
  type AuthContext,
  type Connection,
  type PublicKeyAuthContext,
  type ExecInfo,
  type ServerChannel,
  type Session,
  type SignalInfo,
} from 'ssh2'
import { type CommandContext, type RunningCommand, startCommand } from './running-command.ts'

export interface ServeContext extends CommandContext {
  readonly user: string
  /** SSH wire format of the one key that may log in. */
  readonly authorizedKey: Buffer
  /** Called for every command; the promise resolves when it has ended. */
  readonly begun: (finished: Promise<void>) => void
}

/** Serves one client. Whatever the client does wrong ends its own connection and nothing else. */
export function serveClient(client: Connection, context: ServeContext): void {
  const running = new Set<RunningCommand>()
  const end: End = () => void client.end()
  client.on(
    'error',
    guarded(end, () => undefined),
  )
  const authenticate = (attempt: AuthContext): void => {
    if (mayEnter(attempt, context)) attempt.accept()
    else attempt.reject(['publickey'])
  }
  client.on('authentication', guarded(authenticate, end))
  const serve = (accept: () => Session): void => serveSession(accept(), { context, running, end })
  client.on('session', guarded(serve, end))
  client.on('tcpip', guarded(serveTcp, end))
  client.on('openssh.streamlocal', guarded(serveSocket, end))
  const endCommands = (): void => {
    for (const command of running) command.end()
  }
  client.on('close', guarded(endCommands, end))
}

/** Ends the connection of the one client. */
type End = () => void

interface SessionDeps {
  readonly context: ServeContext
  readonly running: Set<RunningCommand>
  readonly end: End
}

/** Exec requests only: what has no listener here (terminal, shell, subsystem) ssh2 refuses by itself. */
const serveSession = (session: Session, { context, running, end }: SessionDeps): void => {
  let command: RunningCommand | undefined
  const start = (accept: () => ServerChannel, _reject: unknown, { command: line }: ExecInfo): void => {
    const started = startCommand(accept(), line, context)
    command = started
    running.add(started)
    context.begun(started.finished)
    void started.finished.then(() => running.delete(started))
  }
  const signal = (accept: (() => void) | undefined, _reject: unknown, { name }: SignalInfo): void => {
    command?.signal(name)
    accept?.()
  }
  session.on('exec', guarded(start, end))
  session.on('signal', guarded(signal, end))
  session.on(
    'close',
    guarded(() => command?.end(), end),
  )
}

/** Without a signature the client only asks whether the key would do. */
const mayEnter = (attempt: AuthContext, { user, authorizedKey }: ServeContext): boolean => {
  if (attempt.method !== 'publickey' || attempt.username !== user) return false
  const offered = attempt.key.data
  if (offered.length !== authorizedKey.length || !timingSafeEqual(offered, authorizedKey)) return false
  return attempt.signature === undefined || verifies(attempt, authorizedKey)
}

const verifies = ({ blob, signature, hashAlgo }: PublicKeyAuthContext, authorizedKey: Buffer): boolean => {
  const key = ssh2.utils.parseKey(authorizedKey)
  if (key instanceof Error || blob === undefined || signature === undefined) return false
  // Unlike its type says it may also be an Error, which must not count as yes.
  const verdict: unknown = key.verify(blob, signature, hashAlgo)
  return verdict === true
}
