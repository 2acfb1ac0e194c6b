import type { Clock } from '@fleet/kernel'
import * as z from 'zod'
import { installedEnv } from '#/console/settings-file.ts'
import { type Answer, ask, type HttpsRequest, askUntil } from '#/install/https.ts'
import type { GatewayEnv } from '#/env.ts'
import { findTick } from '#/jobs/tick.ts'
import { gatewayNames } from '#/names.ts'

const PAUSE_MILLISECONDS = 500
const ONE_ASK_SECONDS = 10

const status = z.object({ data: z.object({ version: z.string(), status: z.string() }) })
const nodes = z.object({ data: z.array(z.object({ roles: z.array(z.string()), status: z.string() })) })

/**
 * Asks the gateway what people ask it, over the origin that people use: its version, and the Nodes, which needs the
 * database and the identity of this machine. Throws with the reason when it has not answered so in time.
 */
export async function requireSmoke(version: string, clock: Clock, env = installedEnv()): Promise<void> {
  const question = smokeQuestion(env)
  const why = await askUntil(
    { ...question, path: '/gateway/status' },
    (answer) => wrongStatus(answer, env.APP_VERSION ?? version),
    {
      clock,
      seconds: env.FLEET_GATEWAY_RELEASE_SMOKE_TIMEOUT,
    },
  )
  if (why !== undefined) throw new Error(`the smoke check of ${question.origin} failed: ${why}`)
  const read = await ask({ ...question, path: '/nodes', signal: AbortSignal.timeout(ONE_ASK_SECONDS * 1000) })
  const wrong = wrongNodes(read)
  if (wrong !== undefined) throw new Error(`the smoke check of ${question.origin} failed: ${wrong}`)
}

/** The private origin, asked at the listen address, so that the DNS of this machine is no part of it; or the operator's. */
export function smokeQuestion(env: GatewayEnv): Omit<HttpsRequest, 'signal' | 'path'> {
  const home = env.FLEET_HOME
  const { FLEET_GATEWAY_VERIFY_ORIGIN: origin } = env
  if (origin !== undefined) return { origin, home, trustsPublic: true }
  const [name] = gatewayNames(env)
  const [{ address, port } = { address: '127.0.0.1', port: 443 }] = env.FLEET_LISTEN
  return { origin: `https://${name}${port === 443 ? '' : `:${port}`}`, home, address }
}

function wrongStatus({ status: code, body }: Answer, version: string): string | undefined {
  const parsed = status.safeParse(body)
  if (code !== 200 || !parsed.success) return `it answered ${code}`
  const { data } = parsed.data
  if (data.version !== version) return `version ${data.version} answered`
  return data.status === 'ready' ? undefined : `it reports the status ${data.status}`
}

function wrongNodes({ status: code, body }: Answer): string | undefined {
  const parsed = nodes.safeParse(body)
  if (code !== 200 || !parsed.success) return `the list of Nodes returned ${code}`
  const isThere = parsed.data.data.some((one) => one.status === 'active' && one.roles.includes('gateway'))
  return isThere ? undefined : 'the list of Nodes lacks the gateway'
}

/** Waits until the jobs of this version have run after a moment. Throws when they have not in time. */
export async function requireTick(
  version: string,
  since: Date,
  clock: Clock,
  env = installedEnv(),
): Promise<void> {
  const end = clock.ticks() + env.FLEET_GATEWAY_RELEASE_TICK_CONFIRMATION_SECONDS * 1000
  for (;;) {
    const tick = findTick(env.FLEET_HOME)
    if (tick?.version === (env.APP_VERSION ?? version) && tick.at >= since) return
    if (clock.ticks() >= end) throw new Error('the jobs of the gateway did not run')
    await clock.sleep(PAUSE_MILLISECONDS)
  }
}
