"""All benchmarks. They print ratios against a peer in the same run; nothing here is a test."""

from benchmarks import charts, checking, deploying, lifecycle, rendering, startup

startup.main()
checking.main()
charts.main()
rendering.main()
lifecycle.main()
deploying.main()
