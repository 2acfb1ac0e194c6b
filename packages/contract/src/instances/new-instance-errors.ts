import { newRouteErrors } from '../routes/errors.ts'

/** What can be wrong with the place and the domain of a new development Instance, created or adopted. */
export const placementErrors = [
  ...newRouteErrors,
  'instance.placement_conflict',
  'instance.path_taken',
  'instance.default_path_occupied',
  'instance.checkout_path_unsafe',
  'instance.ports_exhausted',
] as const

/** What can go wrong with its setup. */
export const setupErrors = [
  'instance.lifecycle_conflict',
  'instance.setup_step_failed',
  'instance.setup_step_unavailable',
  'project.lifecycle_busy',
  'project.update_in_progress',
  'app-dev.laravel_source_invalid',
  'app-dev.laravel_url_configuration_failed',
  'app-dev.symfony_source_invalid',
  'app-dev.source_metadata_unsafe',
] as const
