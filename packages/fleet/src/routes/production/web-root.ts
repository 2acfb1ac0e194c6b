import { fail } from '@fleet/contract'
import { applicationDirectory, effectiveRoot, type InstanceRecord } from '#/instances/api.ts'

/**
 * A further web root of a production Instance. Throws `route.web_root_release_missing` before its first deployment (RTE-080,
 * RTE-152), and `route.web_root_unsafe` for one that is its own application directory or lies inside the web root of the
 * Instance (RTE-081, RTE-082, RTE-155).
 */
export function requireProductionRoot(instance: InstanceRecord, webRoot: string | null): void {
  if (instance.environment !== 'production' || webRoot === null) return
  if (instance.selected_release === null)
    throw fail('route.web_root_release_missing', { details: { instance_id: instance.id } })
  const own = effectiveRoot(instance)
  const isInside = own === '.' || webRoot === own || webRoot.startsWith(`${own}/`)
  if (isInside || applicationDirectory(webRoot) === webRoot)
    throw fail('route.web_root_unsafe', { details: { instance_id: instance.id, web_root: webRoot } })
}
