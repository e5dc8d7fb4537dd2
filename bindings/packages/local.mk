# SPDX-License-Identifier: BSD-3-Clause
# Packages of distributions and package managers: make packages writes what they are made from, make deb and make rpm build.

EXTRA_DIST += \
	%D%/README.md \
	%D%/build \
	%D%/dependencies \
	%D%/fill \
	%D%/fill.awk \
	%D%/conda/build.sh.in \
	%D%/conda/meta.yaml.in \
	%D%/debian/changelog.in \
	%D%/debian/control.in \
	%D%/debian/copyright.in \
	%D%/debian/libpmu-dev.install \
	%D%/debian/libpmu-dev.lintian-overrides \
	%D%/debian/libpmu-dev.manpages \
	%D%/debian/libpmu-doc.docs \
	%D%/debian/libpmu-doc.install \
	%D%/debian/libpmu0.install \
	%D%/debian/libpmu0.symbols \
	%D%/debian/pmu-tools.install \
	%D%/debian/pmu-tools.lintian-overrides \
	%D%/debian/pmu-tools.manpages \
	%D%/debian/pmu-tools.triggers \
	%D%/debian/python3-pmu.install \
	%D%/debian/rules \
	%D%/debian/source/format \
	%D%/debian/source/lintian-overrides \
	%D%/debian/tests/build \
	%D%/debian/tests/control \
	%D%/debian/tests/python \
	%D%/debian/tests/run \
	%D%/rpm/libpmu.spec.in \
	%D%/spack/package.py.in

packages:
	$(AM_V_GEN)$(SHELL) $(srcdir)/%D%/fill all $(srcdir) $@
deb: dist
	$(SHELL) $(srcdir)/%D%/build deb $(distdir).tar.gz packages/deb
rpm: dist
	$(SHELL) $(srcdir)/%D%/build rpm $(distdir).tar.gz packages/rpm
.PHONY: packages deb rpm
