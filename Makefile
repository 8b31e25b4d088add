# What people do here. Everything is plain Maven underneath: the commands are printed as they run.
MVN := ./mvnw -B -ntp
JMH :=
VERSION := 4.0.2
NETTY := 4.2.20.Final
FAULTS := 52
SEED := 1
SECONDS := 0
MOST := 10000
GUARANTEE := exactly_once_v2
PROTOCOL := classic
SEEDS := 2500
EXAMPLES := 20000
NAMES :=
BASELINE := HEAD
S3_DIRECTORY := target/versitygw
S3_PORT := 7070

.DEFAULT_GOAL := help
.PHONY: help verify ci test nightly quick format demo s3 cloud-check bench chaos chaos-messaging mutants switches pit pit-python kafka-version kafka-3.9 flink-version libraries-oldest netty spark-version spark-suites api openmessaging site python-large python-tpch differential python-tour dist image deploy-check artifacts release clean bench-image screenshots

help: ## this list
	@grep -E '^[a-z0-9.-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-15s %s\n", $$1, $$2}'

verify: ## compile, gates, unit and integration tests, formatting; 30 to 40 minutes on two cores
	$(MVN) verify

ci: ## what CI runs: verify, Python, site, chart, image, a bare machine, and a newer JDK
	.ci/run

test: ## unit, contract, property, fuzz and simulation tests, no servers; six minutes on two cores
	$(MVN) test

nightly: ## what takes hours: all seeds and versions, mutants, chaos, images, long runs; goes on where it stopped [NAMES='seeds mutants']
	.ci/nightly $(NAMES)

quick: ## one test, without the gates: make quick MODULE=core TEST=NotificationTest
	@rm -rf $(MODULE)/target/surefire-reports
	$(MVN) -q -Pquick -pl $(MODULE) -am -Dtest='$(TEST)' -Dsurefire.failIfNoSpecifiedTests=false test
	@ls $(MODULE)/target/surefire-reports/TEST-*.xml > /dev/null 2>&1 || { echo "No test of module $(MODULE) matches '$(TEST)'." >&2; exit 1; }

format: ## format every source file (verify refuses unformatted ones)
	$(MVN) -q -pl '!bom' spotless:apply

demo: ## the demo: a real topology, native and through blobs
	./blobshuffle demo

s3: ## a real S3 server on this machine, to try things with: make s3 [S3_DIRECTORY=target/versitygw] [S3_PORT=7070]
	.ci/versitygw $(S3_DIRECTORY) $(S3_PORT)

cloud-check: STORE :=
cloud-check: ## try a bucket of yours, and delete what was written: make cloud-check STORE='s3://BUCKET/PREFIX?region=…' (gs://, az:// too)
	@./blobshuffle bench cloud-check '$(STORE)'

bench: MODULE := core
bench: ## JMH: make bench JMH='Notification -prof gc' (no JMH: all benchmarks) [MODULE=arrow]
	$(MVN) -q -pl $(MODULE) test-compile exec:exec@benchmark -Djmh='$(JMH)'

chaos: ## the long chaos test: make chaos FAULTS=52 SEED=1 GUARANTEE=exactly_once_v2 PROTOCOL=streams SECONDS=0 MOST=10000
	$(MVN) -pl kstreams -am verify -Dtest=ChaosLedgerTest -Dit.test='ChaosIT#everyRecordComesOutOnceAndInOrder' \
		-Dsurefire.failIfNoSpecifiedTests=false -Dfailsafe.failIfNoSpecifiedTests=false -Dtest.excluded=none -Dchaos.faults=$(FAULTS) \
		-Dchaos.seed=$(SEED) -Dchaos.guarantee=$(GUARANTEE) -Dchaos.protocol=$(PROTOCOL) -Dchaos.seconds=$(SECONDS) -Dchaos.most=$(MOST)

chaos-messaging: FAULTS := 200
chaos-messaging: ## drawn faults in messaging over PostgreSQL: make chaos-messaging FAULTS=200 SEED=1 STORE=s3sim
	./blobshuffle demo messaging --faults $(FAULTS) --seed $(SEED) --rate 50 $(if $(STORE),--store $(STORE))

kafka-version: ## every test of the front doors on another Kafka: make kafka-version VERSION=4.0.2
	$(MVN) verify -pl kafka,kstreams -am -Dtest.excluded=none -Dkafka.test.version=$(VERSION)

kafka-3.9: ## a set of the front doors' tests against Kafka 3.9
	$(MVN) -Pquick test-compile
	$(MVN) -Pquick verify -pl kstreams -am -Dkafka.version=3.9.2 -Dtest.excluded=none -Dmaven.main.skip=true -Dmaven.compiler.useIncrementalCompilation=false \
		-Dtest=KafkaVersionTest -Dsurefire.failIfNoSpecifiedTests=false -Dfailsafe.failIfNoSpecifiedTests=false \
		-Dit.test='RoundTripIT,StreamsModeIT,TransactionIT,ApplicationIT,GroupIT,ConsumerPositionIT,DifferentialIT,LifecycleIT'

flink-version: VERSION := 2.3.0
flink-version: ## every test of the Flink module on another Flink: make flink-version VERSION=2.3.0
	$(MVN) verify -pl flink -am -Dtest.excluded=none -Dflink.test.version=$(VERSION) -Dtest='%regex[dev/blobshuffle/flink/.*Test.class]' \
		-Dit.test='%regex[dev/blobshuffle/flink/.*IT.class]' -Dsurefire.failIfNoSpecifiedTests=false -Dfailsafe.failIfNoSpecifiedTests=false

spark-version: VERSION := 4.0.4
spark-version: SCALA := 2.13
spark-version: ## every test of the Spark door on another Spark: make spark-version VERSION=3.5.9 [SCALA=2.12]
	$(MVN) -Pquick test-compile -pl spark -am
	$(MVN) -Pquick,spark-$(basename $(VERSION)) verify -pl spark -am -Dspark.version=$(VERSION) -Dspark.scala=$(SCALA) -Dtest.excluded=none \
		-Dmaven.main.skip=true -Dmaven.compiler.useIncrementalCompilation=false \
		-Dtest='%regex[dev/blobshuffle/spark/.*Test.class]' -Dsurefire.failIfNoSpecifiedTests=false \
		-Dit.test='%regex[dev/blobshuffle/spark/.*IT.class]' -Dfailsafe.failIfNoSpecifiedTests=false

spark-suites: VERSION := 4.2.0
spark-suites: SCALA := 2.13
spark-suites: ## test suites of Spark's own with the plug-in: make spark-suites [VERSION=4.1.3] [SCALA=2.13] [SUITES='JoinSuite …']
	$(MVN) -q -Pquick -Dmaven.test.skip=true -pl spark-bundle -am pre-integration-test
	.ci/spark-suites $(VERSION) $(SCALA) $(SUITES)

libraries-oldest: ## messaging with the oldest JDBC driver and pool that it works with: those of Spring Boot 3.5.0
	$(MVN) -Pquick test-compile -pl postgresql,messaging -am
	$(MVN) -Pquick verify -pl postgresql,messaging -am -Dmaven.main.skip=true -Dmaven.compiler.useIncrementalCompilation=false \
		-Dpostgresql.version=42.7.5 -Dhikaricp.version=6.3.0 \
		-Dtest='%regex[dev/blobshuffle/(postgresql|messaging)/.*Test.class]' -Dsurefire.failIfNoSpecifiedTests=false \
		-Dit.test='%regex[dev/blobshuffle/(postgresql|messaging)/.*IT.class]' -Dfailsafe.failIfNoSpecifiedTests=false

netty: ## the caches that a zone shares with another Netty: make netty NETTY=4.2.20.Final
	$(MVN) -Pquick test-compile -pl peer -am
	$(MVN) -Pquick verify -pl peer -am -Dmaven.main.skip=true -Dmaven.compiler.useIncrementalCompilation=false -Dnetty.version=$(NETTY) \
		-Dtest='%regex[dev/blobshuffle/peer/.*Test.class]' -Dsurefire.failIfNoSpecifiedTests=false \
		-Dit.test='%regex[dev/blobshuffle/peer/.*IT.class]' -Dfailsafe.failIfNoSpecifiedTests=false

mutants: ## every planted defect of .ci/mutants is found: make mutants [NAMES='drained ts'] [SEEDS=2500]
	SEEDS=$(SEEDS) .ci/mutate $(NAMES)

switches: ## every protection that .ci/switches turns off is missed by a test: make switches [NAMES='signature orphans']
	.ci/mutate --switches $(NAMES)

pit: ## mutation testing of the log, messaging and Flight, for hours: make pit [NAMES='log flight']
	.ci/pit/run $(NAMES)

pit-python: ## mutation testing of the Python package, for hours: make pit-python [NAMES='keys writer']
	.ci/cosmic-ray/run $(NAMES)

api: ## compare the public API with an earlier version: make api BASELINE=v0.1.0 (a tag or any revision)
	.ci/api $(BASELINE)

openmessaging: ## the OpenMessaging Benchmark with our driver, in target/openmessaging (docs/guides/openmessaging.md)
	openmessaging/build

site: ## the documentation as a static site, in target/site; fails if a link leads nowhere
	.ci/site

screenshots: ## the pictures in docs/images, from a demo that runs meanwhile; takes five minutes
	.ci/screenshots

differential: ## Drawn tables, frames and programs through us and natively, 20,000 for each property; takes hours
	cd python && .venv/bin/pytest -s tests/test_differential.py tests/test_joins.py tests/test_aggregates.py tests/test_ray.py --examples $(EXAMPLES)
	$(MVN) -Pquick -pl kafka -am verify -Dtest=NoUnit -Dit.test='ClientsDifferentialIT#otherProgramsHaveTheSameResults' -Dtest.excluded=none \
		-Djqwik.tries.default=$$(($(EXAMPLES) / 100)) -Dsurefire.failIfNoSpecifiedTests=false -Dfailsafe.failIfNoSpecifiedTests=false
	$(MVN) -Pquick -pl messaging -am verify -Dtest=NoUnit -Dit.test='MessagingDifferentialIT#otherProgramsHaveTheResultsOfTheModel' -Dtest.excluded=none \
		-Djqwik.tries.default=$$(($(EXAMPLES) / 100)) -Dsurefire.failIfNoSpecifiedTests=false -Dfailsafe.failIfNoSpecifiedTests=false
	$(MVN) -Pquick -pl kstreams -am verify -Dtest=NoUnit -Dit.test='TopologiesDifferentialIT#otherProgramsLeaveTheSame' -Dtest.excluded=none \
		-Djqwik.tries.default=$$(($(EXAMPLES) / 20)) -Ddifferential.attempts=50 -Dsurefire.failIfNoSpecifiedTests=false -Dfailsafe.failIfNoSpecifiedTests=false
	$(MVN) -Pquick -pl spark -am verify -Dtest=NoUnit -Dit.test='QueriesDifferentialIT,ProgramsDifferentialIT' \
		-Ddifferential.queries=$$(($(EXAMPLES) / 20)) -Ddifferential.programs=$$(($(EXAMPLES) / 20)) -Ddifferential.partitions=2000 \
		-Ddifferential.seed=$$(date +%s) -Dsurefire.failIfNoSpecifiedTests=false -Dfailsafe.failIfNoSpecifiedTests=false
	$(MVN) -Pquick -pl flink -am verify -Dtest=NoUnit -Dit.test=JobsDifferentialIT -Ddifferential.jobs=$$(($(EXAMPLES) / 80)) \
		-Ddifferential.seed=$$(date +%s) -Dsurefire.failIfNoSpecifiedTests=false -Dfailsafe.failIfNoSpecifiedTests=false

python-large: ## Python: 10 GB of rows within 256 MiB, and more types and sizes; needs 20 GB of disk
	cd python && BLOBSHUFFLE_LARGE=25 .venv/bin/pytest -s tests/test_memory.py tests/test_large.py

python-tpch: ## Python: TPC-H queries at scale 1 with Dask, Ray and Arrow rows, compared with DuckDB; needs 8 GB of disk
	cd python && for engine in dask ray arrow; do \
	  .venv/bin/python examples/tpch.py /tmp/blobshuffle-tpch --engine $$engine --scale $(or $(SCALE),1) || exit 1; \
	done

python-tour: ## Python: run the tour and write docs/guides/python-tour.md with its output and plots
	cd python && .venv/bin/python bench/render_tour.py

dist: ## the command line as an archive, cli/target/blobshuffle-VERSION.tar.gz, and one jar for Spark, in spark-bundle/target
	$(MVN) -q -Pquick -Dmaven.test.skip=true -pl cli,spark-bundle -am pre-integration-test

image: dist ## the command line as a container image, in target/image, built and checked without a registry; needs root
	.ci/image

bench-image: dist ## the same with the benchmarks, for bench theodolite on a cluster; needs root
	.ci/image bench

deploy-check: dist ## the Helm chart and the manifests of deploy/, checked without a cluster
	.ci/deploy

artifacts: ## the artifacts as an application gets them: licence, README's snippets, reproducible bytes
	.ci/artifacts

release: VERSION :=
release: ## a release in target/release, nothing published: make release VERSION=0.1.0
	.ci/release '$(VERSION)'

clean: ## remove everything that was built
	$(MVN) -q clean
