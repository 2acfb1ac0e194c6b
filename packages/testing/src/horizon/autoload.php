<?php
// The part of Laravel and Horizon that answers the API of the dashboard, over storage/horizon.json in the place of Redis.
namespace Illuminate\Http {
    class Request
    {
        private array $query = [];

        public static function create(string $uri, string $method, array $query): self
        {
            $request = new self();
            $request->query = $query;
            return $request;
        }

        public function query(string $key, $default = null)
        {
            return $this->query[$key] ?? $default;
        }
    }
}

namespace Laravel\Horizon\Http\Controllers {
    use Illuminate\Http\Request;
    use Laravel\Horizon\Contracts\WorkloadRepository;

    class Store
    {
        public static function read(): array
        {
            $store = json_decode(file_get_contents('storage/horizon.json'), true);
            if (isset($store['hangs'])) {
                sleep(60);
            }
            if (isset($store['fails'])) {
                throw new \RuntimeException($store['fails']);
            }
            return $store;
        }
    }

    class DashboardStatsController
    {
        public function index(): array
        {
            return Store::read()['stats'];
        }
    }

    class WorkloadController
    {
        public function index(WorkloadRepository $workload): array
        {
            return $workload->get();
        }
    }

    abstract class Jobs
    {
        const STATE = '';

        public function index(Request $request): array
        {
            $jobs = Store::read()['jobs'][static::STATE];
            $page = array_slice($jobs, $request->query('starting_at', -1) + 1, 50);
            foreach ($page as &$job) {
                $job['payload'] = json_decode($job['payload']);
            }
            return ['jobs' => $page, 'total' => count($jobs)];
        }
    }

    class PendingJobsController extends Jobs
    {
        const STATE = 'pending';
    }
    class CompletedJobsController extends Jobs
    {
        const STATE = 'completed';
    }
    class FailedJobsController extends Jobs
    {
        const STATE = 'failed';
    }
}

namespace Laravel\Horizon\Contracts {
    class WorkloadRepository
    {
        public function get(): array
        {
            return \Laravel\Horizon\Http\Controllers\Store::read()['workload'];
        }
    }
}
