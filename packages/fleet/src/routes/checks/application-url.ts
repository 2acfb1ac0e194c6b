import { asked, type Check, type Question } from '#/nodes/api.ts'
import type { CheckedInstance } from '#/routes/checks/queries.ts'
import { applicationKey, type ServingView, type ViewedApplication } from '#/routes/checks/view.ts'
import { urlOwners } from '#/routes/application-url.ts'
import type { ServedRoute } from '#/routes/served.ts'

/** An application directory and the URL that its `APP_URL` should be. */
export interface NamedApplication extends ViewedApplication {
  readonly instance: CheckedInstance
  readonly url: string
}

/** Of development Instances: the file of a production one follows from its stored configuration. */
export const applicationsOf = (
  served: readonly ServedRoute[],
  instances: readonly CheckedInstance[],
): readonly NamedApplication[] =>
  instances
    .filter(({ environment }) => environment === 'development')
    .flatMap((instance) => {
      const own = served.filter(({ route, instance: { id } }) => id === instance.id && route.has_source === 1)
      return [...urlOwners(own)].map(
        ([
          directory,
          {
            route,
            instance: { checkout_path: checkoutPath },
          },
        ]) => ({
          instance,
          checkoutPath,
          directory,
          url: `https://${route.domain}`,
        }),
      )
    })

/** `APP_URL` is that of the Route that has the directory; the issue names the directory (DOC-014). */
export const urlChecks = (
  question: Question<ServingView>,
  applications: readonly NamedApplication[],
): readonly Check[] =>
  applications.map((application) => {
    const { instance, directory, url } = application
    const resource = { type: 'instance', id: instance.id, name: instance.name }
    return asked('instance.laravel_url_mismatch', resource, question, ({ urls }) => {
      const observed = urls.get(applicationKey(application))
      if (observed === undefined || observed === url) return undefined
      return { expected: 'URL of the Route', observed: 'another URL', directory: directory || '.' }
    })
  })
