import { BASE_PACKAGES } from '#/node-lifecycle/api.ts'
import { rolePackages } from '#/roles/api.ts'

/** Every apt package that the bootstrap of a Node or of any role installs. */
export const bootstrapPackages = (): readonly string[] => [...BASE_PACKAGES, ...rolePackages()]
