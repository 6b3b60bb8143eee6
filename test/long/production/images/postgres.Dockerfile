# Stands in for the official image, with Debian's PostgreSQL, whose major version may differ from the tag.
FROM llm-tool-test-debian:bookworm
RUN apt-get update \
  && apt-get install --yes --no-install-recommends postgresql-common \
  && echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.conf \
  && apt-get install --yes --no-install-recommends postgresql \
  && ln -s /usr/lib/postgresql/*/bin/* /usr/local/bin/ \
  && install --directory --owner postgres --group postgres --mode 700 /var/lib/postgresql/data \
  && install --directory --owner postgres --group postgres --mode 3775 /var/run/postgresql
ENV PGDATA=/var/lib/postgresql/data LANG=C.UTF-8
VOLUME /var/lib/postgresql/data
COPY postgres.sh /usr/local/bin/docker-entrypoint.sh
STOPSIGNAL SIGINT
ENTRYPOINT ["sh", "/usr/local/bin/docker-entrypoint.sh"]
CMD ["postgres"]
