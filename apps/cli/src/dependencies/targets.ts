import { ApiError } from '@fleet/sdk/core'
import { ClientError, EXIT } from '#/exit.ts'
import { fieldsOf, type GatewayLink } from '#/live/gateway-link.ts'
import { isObject } from '#/print/value.ts'

export interface Target {
  readonly id: number
  /** `project/instance`. */
  readonly label: string
}

/** Every Instance that the list returns, in its order (DEP-040). */
export async function allInstances(link: Pick<GatewayLink, 'ask'>): Promise<readonly Target[]> {
  return (await listed(link)).map(targetOf)
}

/** The Instance behind a domain. Throws `dependencies.target_not_found` and `dependencies.target_ambiguous`. */
export async function instanceOfDomain(link: Pick<GatewayLink, 'ask'>, domain: string): Promise<Target> {
  const found = (await listed(link)).filter((one) => fieldsOf(one)['domain'] === domain)
  if (found.length > 1)
    throw failure(
      'dependencies.target_ambiguous',
      `${domain} leads to several Instances.`,
      'Name one by its id.',
    )
  const [only] = found
  if (only === undefined) throw notFound(`No Instance that you can access has the domain ${domain}.`)
  return targetOf(only)
}

/** The Instance of the calling Node that holds a directory (DEP-038). Throws `dependencies.target_not_found`. */
export async function instanceOfDirectory(
  link: Pick<GatewayLink, 'ask'>,
  directory: string,
): Promise<Target> {
  try {
    return targetOf(await link.ask('instance:resolve-directory', { directory }))
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'instance.directory_not_found') throw error
    throw notFound('No Instance of this Node contains the current directory.')
  }
}

async function listed(link: Pick<GatewayLink, 'ask'>): Promise<readonly unknown[]> {
  const records = await link.ask('instance:list')
  return Array.isArray(records) ? records.filter(isObject) : []
}

function targetOf(record: unknown): Target {
  const { id, name, project } = fieldsOf(record)
  const slug = isObject(project) ? project['slug'] : undefined
  return { id: Number(id), label: `${String(slug)}/${String(name)}` }
}

const notFound = (message: string): ClientError =>
  failure('dependencies.target_not_found', message, 'fleet instance:list shows the Instances.')

const failure = (code: string, message: string, next: string): ClientError =>
  new ClientError(code, message, { exit: EXIT.refused, next })
