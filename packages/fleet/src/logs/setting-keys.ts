/**
 * Keys whose values are shown in live logs (LOGS-024): names, drivers, places and levels that every application of the
 * framework has, that are no secret, and without which a log of connections and jobs could not be read. The specification
 * says that there are 27 and not which; every key that may carry a credential stays off the list, `*_URL` of a service too.
 */
export const SETTING_KEYS: ReadonlySet<string> = new Set([
  'APP_NAME',
  'APP_ENV',
  'APP_DEBUG',
  'APP_URL',
  'APP_TIMEZONE',
  'APP_LOCALE',
  'APP_FALLBACK_LOCALE',
  'APP_FAKER_LOCALE',
  'APP_MAINTENANCE_DRIVER',
  'ASSET_URL',
  'VITE_APP_NAME',
  'LOG_CHANNEL',
  'LOG_STACK',
  'LOG_LEVEL',
  'LOG_DEPRECATIONS_CHANNEL',
  'DB_CONNECTION',
  'DB_HOST',
  'DB_PORT',
  'DB_DATABASE',
  'REDIS_CLIENT',
  'REDIS_HOST',
  'CACHE_STORE',
  'SESSION_DRIVER',
  'QUEUE_CONNECTION',
  'BROADCAST_CONNECTION',
  'FILESYSTEM_DISK',
  'MAIL_MAILER',
])
