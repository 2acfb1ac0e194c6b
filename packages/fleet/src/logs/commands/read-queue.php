<?php
// Asks the queue dashboard of the application in this folder through the controllers of its API.
// Arguments: state, how many jobs, most bytes of a name, of an exception, most queues. Answers JSON on descriptor 3.
[, $state, $limit, $nameMax, $textMax, $queuesMax] = $argv;
const API = 'Laravel\\Horizon\\Http\\Controllers\\';
const FLAGS = JSON_INVALID_UTF8_IGNORE | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE;
// Past the end of every list: a page from there has no job and still has the total.
const BEYOND = 1000000000;

function answer(array $answer): void
{
    file_put_contents('php://fd/3', json_encode($answer, FLAGS));
    exit(0);
}

/** A text of at most so many bytes, with a mark where it was cut. */
function cut($text, $most): ?string
{
    $text = is_scalar($text) ? (string) $text : '';
    return $text === '' ? null : (strlen($text) > $most ? substr($text, 0, $most) . '[truncated]' : $text);
}

function number($value)
{
    return is_numeric($value) ? $value + 0 : null;
}

if (!is_file('vendor/autoload.php') || !is_file('bootstrap/app.php')) {
    answer(['refused' => 'application']);
}
try {
    require 'vendor/autoload.php';
    $app = require 'bootstrap/app.php';
    $app->make('Illuminate\\Contracts\\Console\\Kernel')->bootstrap();
} catch (Throwable $error) {
    answer(['refused' => 'start']);
}
$controllers = ['pending' => 'PendingJobs', 'completed' => 'CompletedJobs', 'failed' => 'FailedJobs'];
foreach (['DashboardStats', 'Workload', 'PendingJobs', 'CompletedJobs', 'FailedJobs'] as $name) {
    if (!class_exists(API . $name . 'Controller')) {
        answer(['refused' => 'dashboard']);
    }
}
try {
    // As the page of the dashboard gets it.
    $ask = function (string $name, array $given = []) use ($app): array {
        $answer = $app->call([$app->make(API . $name . 'Controller'), 'index'], $given);
        return json_decode(json_encode($answer, FLAGS), true) ?? [];
    };
    $list = fn(string $name, int $from): array => $ask($name, [
        'request' => Illuminate\Http\Request::create('/', 'GET', ['starting_at' => $from]),
    ]);
    $pages = [];
    foreach ($controllers as $of => $name) {
        $pages[$of] = $list($name, $of === $state ? -1 : BEYOND);
    }
    $stats = $ask('DashboardStats');
    $workload = $ask('Workload');
    $settings = $app->make('config');
    $place = ['domain' => $settings->get('horizon.domain'), 'path' => $settings->get('horizon.path', 'horizon')];
} catch (Throwable $error) {
    answer(['refused' => 'store']);
}
answer([
    'status' => $stats['status'] ?? null,
    'jobs_per_minute' => number($stats['jobsPerMinute'] ?? null),
    'recent_jobs' => number($stats['recentJobs'] ?? null),
    'recently_failed_jobs' => number($stats['failedJobs'] ?? null),
    'processes' => number($stats['processes'] ?? null),
    'totals' => array_map(fn(array $page) => number($page['total'] ?? null), $pages),
    'queues' => array_map(fn(array $queue): array => [
        'name' => cut($queue['name'] ?? null, $nameMax),
        'length' => number($queue['length'] ?? null),
        'wait_seconds' => number($queue['wait'] ?? 0),
        'processes' => number($queue['processes'] ?? null),
    ], array_slice(array_values($workload), 0, (int) $queuesMax)),
    // Member by member: a payload, its tags and its context stay here.
    'jobs' => array_map(fn(array $job): array => [
        'id' => cut($job['id'] ?? null, $nameMax),
        'name' => cut($job['name'] ?? null, $nameMax),
        'queue' => cut($job['queue'] ?? null, $nameMax),
        'status' => cut($job['status'] ?? null, $nameMax),
        'pushed_at' => number($job['payload']['pushedAt'] ?? null),
        'completed_at' => number($job['completed_at'] ?? null),
        'failed_at' => number($job['failed_at'] ?? null),
        'exception' => cut($job['exception'] ?? null, $textMax),
    ], array_slice(array_values($pages[$state]['jobs'] ?? []), 0, (int) $limit)),
    'domain' => cut($place['domain'], $nameMax),
    'path' => cut($place['path'], $nameMax),
]);
